import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Value } from '../../src/render/result.ts'
import { toCsv } from '../../src/render/to-csv.ts'

const csv = (...row: Value[]) =>
  toCsv({ columns: row.map((_, index) => ({ name: `c${index}`, type: 'VARCHAR' })), rows: [row] })
    .split('\r\n')
    .slice(1, -1)
    .join('\r\n')

test('values are written as they are', () => {
  expect(csv(null, 'a', 1.5, 2n ** 63n, true, -3)).toBe(',a,1.5,9223372036854775808,true,-3')
  expect(csv(new Date('2026-03-01T08:00:00Z'), '2026-03-01', 1916879.9999999995)).toBe(
    '2026-03-01T08:00:00.000Z,2026-03-01,1916879.9999999995',
  )
  expect(csv('a,b', 'say "x"', 'two\r\nlines', ' edge')).toBe('"a,b","say ""x""","two\r\nlines"," edge"')
  expect(csv([1n, 'x'])).toBe('"[""1"",""x""]"')
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '=HYPERLINK("http://x","y")'])(
  'a spreadsheet does not run %j',
  (text) => {
    expect(parse(csv(text))[0]).toEqual([`'${text}`])
  },
)

test('no rows are a header', () => {
  expect(
    toCsv({
      columns: [
        { name: 'a', type: 'BIGINT' },
        { name: '=b', type: 'BIGINT' },
      ],
      rows: [],
    }),
  ).toBe("a,'=b\r\n")
})

/** The same by what is allowed, one character at a time. */
function harmless(cell: string): string {
  const shown = Array.from(cell, (one) => (/[\t\n\r]|[^\p{Cc}\p{Bidi_C}]/u.test(one) ? one : '\ufffd')).join(
    '',
  )
  return /^[=+\-@＝＋－＠]/.test(shown.trimStart()) || /^[\t\r\n]/.test(shown) ? `'${shown}` : shown
}

test('any text survives a strict reader, and never begins like a formula', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 2 }), { minLength: 1 }),
      (rows) => {
        const text = toCsv({
          columns: [
            { name: 'a', type: 'VARCHAR' },
            { name: 'b', type: 'VARCHAR' },
          ],
          rows,
        })
        const back = parse(text).slice(1)
        expect(back).toEqual(rows.map((row) => row.map(harmless)))
      },
    ),
  )
})

/** RFC 4180, to the letter. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]]
  let cell = ''
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') {
      for (i++; text[i] !== '"' || text[i + 1] === '"'; i++) {
        if (text[i] === '"') i++
        cell += text[i]
      }
    } else if (text[i] === ',') {
      rows.at(-1)!.push(cell)
      cell = ''
    } else if (text[i] === '\r' && text[i + 1] === '\n') {
      rows.at(-1)!.push(cell)
      rows.push([])
      cell = ''
      i++
    } else cell += text[i]
  }
  if (cell || rows.at(-1)!.length) rows.at(-1)!.push(cell)
  else rows.pop()
  return rows
}
