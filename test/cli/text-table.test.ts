import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { instant, textTable } from '../../src/cli/text-table.ts'

test('a text table aligns its columns and removes terminal control sequences', () => {
  expect(
    textTable(
      [
        ['a', 'n'],
        ['\u001b[31mlong', '7'],
      ],
      [false, true],
    ),
  ).toEqual(['a     n', 'long  7'])
})

test('a text table may have 300,000 rows', () => {
  expect(textTable(Array.from({ length: 300_000 }, (_, row) => [String(row)]))).toHaveLength(300_000)
})

describe('a text table on a screen', () => {
  const rows = [
    ['id', 'title', 'team'],
    ['1', 'Disk of a very long name is nearly full', 'Payments and ledgers'],
    ['22', '数据库连接超时,正在重试', 'ops'],
  ]
  const widest = (lines: readonly string[]) => Math.max(...lines.map((line) => stringWidth(line)))

  test('is unchanged if it fits', () => {
    expect(textTable(rows, [], 200)).toEqual(textTable(rows))
  })

  test.each([60, 40, 24])('is fitted to %i columns by shortening its widest cells', (width) => {
    const lines = textTable(rows, [true], width)
    expect(widest(lines)).toBeLessThanOrEqual(width)
    expect(lines[0]).toMatch(/id\s+title\s+team/)
    expect(lines[1]).toContain('…')
    expect(lines[2]).toContain('22')
  })

  test('ends with an ellipsis if not all columns fit', () => {
    const many = [Array.from({ length: 20 }, (_, index) => `column_${index}`)]
    const [line] = textTable(many, [], 40)
    expect(stringWidth(line!)).toBeLessThanOrEqual(40)
    expect(line).toMatch(/^colum… .* …$/)
  })
})

test.each([
  ['UTC', '2026-03-01 08:00:00Z'],
  ['Europe/Berlin', '2026-03-01 09:00:00+01:00'],
  ['America/St_Johns', '2026-03-01 04:30:00-03:30'],
])('a time in the zone %s is printed as %s', (zone, text) => {
  expect(instant(new Date('2026-03-01T08:00:00Z'), zone)).toBe(text)
})
