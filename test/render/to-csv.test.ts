import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Value } from '../../src/render/result.ts'
import { csvFile, toCsv } from '../../src/render/to-csv.ts'

const csv = (...row: Value[]) =>
  toCsv({ columns: row.map((_, index) => ({ name: `c${index}`, type: 'VARCHAR' })), rows: [row] })
    .split('\r\n')
    .slice(1, -1)
    .join('\r\n')

test('CSV output contains every value unchanged, in quotes where necessary', () => {
  expect(csv(null, 'a', 1.5, 2n ** 63n, true, -3)).toBe(',a,1.5,9223372036854775808,true,-3')
  expect(csv(new Date('2026-03-01T08:00:00Z'), '2026-03-01', 1916879.9999999995)).toBe(
    '2026-03-01T08:00:00.000Z,2026-03-01,1916879.9999999995',
  )
  expect(csv('a,b', 'say "x"', 'two\r\nlines', ' edge')).toBe('"a,b","say ""x""","two\r\nlines"," edge"')
  expect(csv([1n, 'x'])).toBe('"[""1"",""x""]"')
})

const FORMULAS = ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '=HYPERLINK("http://x","y")', ' =1']
const WIDE_FORMULAS = ['\u00a0=1', '＝1', '＋1', '－1', '＠a']

test.each([...FORMULAS, ...WIDE_FORMULAS])(
  'CSV output escapes %j, which a spreadsheet would run as a formula',
  (text) => {
    expect(parse(csv(text))[0]).toEqual([`'${text}`])
  },
)

test('CSV output for a query without rows is only the header', () => {
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

const textColumns = [
  { name: 'a', type: 'VARCHAR' },
  { name: 'b', type: 'VARCHAR' },
]

test.each([
  'x;=1+1;y',
  'a;=HYPERLINK("http://e.invalid")',
  'a；=1',
  'two\n=1',
  'a;"=1"',
  'a; @SUM(A1)',
  '";=1',
])('CSV output escapes %j, which would run in a spreadsheet that splits cells at semicolons', (title) => {
  const text = toCsv({ columns: textColumns, rows: [[1, title]] as never })
  expect(cellsBySemicolon(text).filter((cell) => /^[\s]*[=+\-@]/.test(cell))).toEqual([])
  expect(parse(text)[1]![1]!.replaceAll("'", '')).toBe(title)
})

test('CSV output never escapes numbers, and escapes no text if written for programs', () => {
  const rows = [[-5, '-5;=1']]
  expect(toCsv({ columns: textColumns, rows })).toBe("a,b\r\n-5,'-5;'=1\r\n")
  expect(toCsv({ columns: textColumns, rows }, 'as they are')).toBe('a,b\r\n-5,-5;=1\r\n')
})

test('a CSV file of a report begins with a byte order mark, unlike other CSV output', () => {
  const result = { columns: textColumns, rows: [['Überlast 支付', '']] }
  expect(csvFile(result)).toBe(`\ufeff${toCsv(result)}`)
  expect(toCsv(result)).toMatch(/^a,b/)
})

/** Parses CSV by semicolons, as some programs do. A quote counts only at the start of a cell. */
function cellsBySemicolon(text: string): string[] {
  const cells = ['']
  let isQuoted = false
  for (const one of text) {
    const cell = cells.at(-1)!
    if (one === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted
    else if (!isQuoted && /[;；\r\n]/.test(one)) cells.push('')
    else cells[cells.length - 1] = cell + one
  }
  return cells
}

/** Independent computation of the escaped cell, one character at a time. */
function harmless(cell: string): string {
  const shown = Array.from(cell, (one) => (/[\t\n\r]|[^\p{Cc}\p{Bidi_C}]/u.test(one) ? one : '\ufffd')).join(
    '',
  )
  const isFormula = (rest: string, before: RegExp) => /^[=+\-@＝＋－＠]/.test(rest.replace(before, ''))
  const inner = Array.from(shown, (one, at) =>
    /[;；\t\r\n]/.test(one) &&
    isFormula(
      Array.from(shown)
        .slice(at + 1)
        .join(''),
      /^[\s"]*/,
    )
      ? `${one}'`
      : one,
  ).join('')
  return isFormula(shown, /^\s*/) || /^[\t\r\n]/.test(shown) ? `'${inner}` : inner
}

test('CSV output of any text is read back by a strict parser, with formulas escaped', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 2 }), { minLength: 1 }),
      (rows) => {
        const text = toCsv({ columns: textColumns, rows })
        const back = parse(text).slice(1)
        expect(back).toEqual(rows.map((row) => row.map(harmless)))
      },
    ),
  )
})

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
