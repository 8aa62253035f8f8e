import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { everything, measured, result } from './odd-page.ts'

describe('terminal output', () => {
  test('contains escape sequences only for color, and never from data', () => {
    const plain = toTerminal(result(everything), { width: 80, color: false })
    expect(plain).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(plain).toContain('<script>alert(1)</script>')
    const colored = toTerminal(result(everything), { width: 80, color: true })
    expect(colored.replace(/\u001b\[\d+m/g, '')).toBe(plain)
    expect(colored).not.toBe(plain)
  })

  test.each([60, 100, 140])('fits tables into %i columns', (width) => {
    const table = everything.at(-1)!
    const lines = toTerminal(result([table]), { width, color: false }).split('\n')
    const start = lines.findIndex((line) => line.includes('third') || line.includes('2 of 3'))
    for (const line of lines.slice(start - 3, start)) expect(stringWidth(line)).toBeLessThanOrEqual(width)
  })

  test('shows the 95% CI of a card’s change', () => {
    const lines = toTerminal(result(everything), { width: 120, color: false })
    expect(lines).toContain('no clear change, previously 6 (change: 95% CI −20% to +31%)')
  })

  test('shows CI and n in tables only if wide enough, but always marks small samples', () => {
    expect(toTerminal(result([measured]), { width: 100, color: false })).toContain(
      '1 min (30 s – 1 min 30 s, n 12)',
    )
    const narrow = toTerminal(result([measured]), { width: 24, color: false })
    expect(narrow).toMatch(/1 min\n/)
    expect(narrow).toContain('2 min !')
  })

  test('states that the period has no incidents', () => {
    const empty = toTerminal(result(everything, { empty: true }), { width: 80, color: false })
    expect(empty).toContain('No incidents in the 50% of this period with data. No incident is open.')
  })
})
