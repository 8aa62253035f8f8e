import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { durationParts, format, localTime, plain, plainRange } from '../../src/render/format.ts'
import type { Value } from '../../src/render/result.ts'
import { clean, cleanForTerminal } from '../../src/render/sanitize-text.ts'

const context = { timezone: 'Europe/Berlin', year: '2026' }
const shown = (value: Value, as: Parameters<typeof format>[1]) =>
  plain(format(value, as, context)).replace(/[\u00a0\u202f]/g, ' ')

describe('durations', () => {
  test.each([
    [0, '0 s'],
    [-0.04, '0 s'],
    [0.42, '0.4 s'],
    [9.96, '10 s'],
    [45, '45 s'],
    [59.6, '1 min'],
    [264, '4 min 24 s'],
    [599.7, '10 min'],
    [2880, '48 min'],
    [3599, '1 h'],
    [6480, '1 h 48 min'],
    [86_399, '1 d'],
    [471_600, '5 d 11 h'],
    [8_639_999, '100 d'],
    [29_486_220, '341 d'],
    [211_852_800, '2,452 d'],
    [-60, '− 1 min'],
  ])('of %s seconds are shown as %s', (seconds, text) => expect(shown(seconds, 'duration')).toBe(text))

  test('are rounded to the nearest unit, and never shown as 60 min or 24 h', () => {
    const unit: Record<string, number> = { s: 1, min: 60, h: 3600, d: 86_400 }
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e8, noNaN: true }), (seconds) => {
        const parts = durationParts(seconds)
        const back = parts.reduce(
          (sum, part, index) =>
            part.unit ? sum : sum + Number(part.text.replaceAll(',', '')) * unit[parts[index + 1]!.text]!,
          0,
        )
        const smallest = unit[parts.at(-1)!.text]!
        expect(Math.abs(back - seconds)).toBeLessThanOrEqual(
          parts.length > 2 || smallest < 86_400 ? Math.max(30, smallest / 2) : 86_400 / 2,
        )
        expect(plain(parts)).not.toMatch(/\b(60.(s|min)|24.h)\b/)
      }),
    )
  })
})

describe('values in a report', () => {
  test.each<[Value, Parameters<typeof format>[1], string]>([
    [null, 'number', '–'],
    [' \u00a0\t', 'text', '–'],
    ['x', 'number', '–'],
    [Number.NaN, 'percent', '–'],
    [24918n, 'number', '24,918'],
    [2n ** 63n, 'number', '9,223,372,036,854,775,808'],
    [1234, 'number', '1,234'],
    [-12345, 'number', '−12,345'],
    [1.005, 'number', '1'],
    [12.34, 'number', '12.3'],
    [0.456, 'percent', '46%'],
    [0.042, 'percent', '4.2%'],
    [1, 'percent', '100%'],
    [0.99985, 'percent', '99.9%'],
    [0, 'percent', '0%'],
    [0.0004, 'percent', '<0.1%'],
    ['2026-08-17', 'date', '17 Aug'],
    ['2025-08-17', 'date', '17 Aug 2025'],
    [new Date('2026-08-17T12:18:00Z'), 'time', '17 Aug 14:18'],
    ['2026-08-17T14:18:00', 'time', '17 Aug 14:18'],
    ['nonsense', 'date', '–'],
    [[1n, 'a'], 'text', '["1","a"]'],
  ])('are formatted for display: %s with format %s becomes %s', (value, as, text) =>
    expect(shown(value, as)).toBe(text),
  )

  test('have the correct local time before and after a clock change', () => {
    expect(localTime(new Date('2026-03-29T00:59:59Z'), 'Europe/Berlin')).toBe('2026-03-29T01:59:59')
    expect(localTime(new Date('2026-03-29T01:00:00Z'), 'Europe/Berlin')).toBe('2026-03-29T03:00:00')
    expect(localTime(new Date('2026-12-31T23:30:00Z'), 'Asia/Kathmandu')).toBe('2027-01-01T05:15:00')
    expect(localTime(new Date('2026-01-01T00:00:00Z'), 'UTC')).toBe('2026-01-01T00:00:00')
  })
})

describe('cleaning text', () => {
  test('replaces control, bidi and lone surrogate characters, and turns line breaks into spaces', () => {
    expect(clean('a\u0000b\u202ec\ud800d\te\r\nf\u2066')).toBe('a\ufffdb\ufffdc\ufffdd e f\ufffd')
    expect(clean('naïve 👩‍🚒 日本')).toBe('naïve 👩‍🚒 日本')
  })

  test('removes escape sequences from terminal output', () => {
    expect(
      cleanForTerminal(
        'a\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u001b\\ \u009b2Jb \u001bcd',
      ),
    ).toBe('ared link b d')
  })

  test('leaves no control characters in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const out of [clean(text), cleanForTerminal(text)])
          expect(out).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
      }),
    )
  })
})

test('a range such as 30–37 min states the shared unit only once', () => {
  const range = (low: number, high: number) => plainRange(durationParts(low), durationParts(high))
  expect(range(30 * 60, 37 * 60)).toBe('30–37\u202fmin')
  expect(range(45, 120)).toBe('45\u202fs – 2\u202fmin')
  expect(range(268, 486)).toBe('4\u202fmin\u00a028\u202fs – 8\u202fmin\u00a06\u202fs')
  expect(plainRange([{ text: '3' }], [{ text: '5' }])).toBe('3 – 5')
  const percent = (text: string) => [{ text }, { text: '%', unit: true as const }]
  expect(plainRange(percent('−8.9'), percent('7.2'))).toBe('−8.9\u00a0to\u00a07.2%')
})
