import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkReport, mistakesOf, runReport } from '../../../src/report/run.ts'
import { defaultSettings } from '../../../src/settings/settings.ts'
import type { Reader } from '../../../src/warehouse/read/reader.ts'
import { openReader } from '../../support/storage.ts'
import { reportFile, warehouseFile } from '../../support/warehouse.ts'
import { settleCompany } from '../../support/world.ts'

let reader: Reader
beforeAll(async () => {
  reader = await openReader(await warehouseFile(settleCompany), { settings: defaultSettings })
})
afterAll(() => reader.close())

/** Each mistake as `line: message`. */
const found = async (file: string) =>
  (await mistakesOf(file, reader)).map(({ line, message }) => `${line}: ${message.split('\n', 1)[0]}`)

/** A report of mistakes: in its front matter, which begins on line 2, and in every kind of block. */
const front = `title: T
params: { period: 13 wekks }
fail_if:
  - { name: one, when: q.n > 5, message: "{{ q.p }}" }
  - { name: two, when: r.n > 5 }`
const full = `A {{ q.n | nubmer }} and {{ nope.x }} and {{ broken }}.

> A quotation {{ q.zzz }}.

[A link](http://insecure.example) with {{ q.m }}.

\`\`\`sql q
select 1 as n
\`\`\`

\`\`\`sql wrong
select sevrity from scoped_incidents
\`\`\`

\`\`\`sql after
select * from wrong
\`\`\`

\`\`\`chart
type: lin
title: T
\`\`\`

\`\`\`kpi
- { label: A, value: q.n, fromat: number }
- { label: B, value: q.o, format: number }
\`\`\`

\`\`\`kpi
- { label: C, value: q.o, format: number }
- { label: D, value: wrong.x, format: number }
\`\`\`

\`\`\`table
data: q
columns: [n, m]
\`\`\`

\`\`\`tabel
data: q
\`\`\`
`

describe('a check', () => {
  test('tells every mistake of a file, in the order of its lines, each once', async () => {
    const file = reportFile(full, front)
    expect(await found(file)).toEqual([
      '3: "13 wekks" is not a period.',
      '5: The query "q" has no column "p".',
      '6: There is no query "r" in this report.',
      '8: The format "nubmer" is not known.',
      '8: The tag {{ broken }} is not of the form {{ query.column | format }}.',
      '8: There is no query "nope" in this report.',
      '10: Markdown of this kind (blockquote) has no place in a report.',
      '12: The link to http://insecure.example does not begin with https://.',
      '12: The query "q" has no column "m".',
      '19: The query "wrong" failed: Binder Error: Referenced column "sevrity" not found in FROM clause!',
      '27: type: invalid value "lin".',
      '32: Unknown key "fromat".',
      '32: The key "0.format" is missing.',
      '32: The query "q" has no column "o".',
      '37: The query "q" has no column "o".',
      '42: The query "q" has no column "m".',
      '46: A block of "tabel" is not known.',
    ])
  })

  test('of front matter that is wrong goes on with the blocks', async () => {
    const file = reportFile('{{ q.n | nubmer }}\n', 'titel: T\nfail_if: [{ name: a b, when: q > 1 }]')
    expect(await found(file)).toEqual([
      '2: Unknown key "titel".',
      '2: The key "title" is missing.',
      expect.stringMatching(/^3: fail_if\.0\.name: expected letters/),
      expect.stringMatching(/^3: fail_if\.0\.when: expected query\.column/),
      '5: The format "nubmer" is not known.',
    ])
  })

  test('finds nothing in a report that is right, and throws the first of one that is not', async () => {
    const right = reportFile('{{ q.n | number }}\n\n```sql q\nselect 1 as n\n```\n')
    expect(await found(right)).toEqual([])
    await checkReport(right, reader)
    const wrong = reportFile('{{ q.n | number }}\n\n{{ q.m }}\n')
    for (const act of [checkReport, runReport])
      await expect(act(wrong, reader)).rejects.toThrow('There is no query "q" in this report.')
  })
})

test('a mistake in a query is told with the closest column, though the run keeps only those that are used', async () => {
  const file = reportFile('```sql q\nselect incident_severty from scoped_incidents\n```\n')
  const error = await runReport(file, reader).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ line: 6, next: expect.stringContaining('incident_severity') })
})

test('a key of another kind of chart is not proposed for this one: the keys of this one are', async () => {
  const bars = '```chart\ntype: bars\ntitle: T\ndata: q\nx: n\ny: s\nscale: log\n```'
  const [mistake] = await mistakesOf(
    reportFile(`\`\`\`sql q\nselect 1 as n, 'a' as s\n\`\`\`\n\n${bars}`),
    reader,
  )
  expect(mistake?.message).toBe('Unknown key "scale".')
  expect(mistake?.next).not.toContain('Did you mean "scale"')
  expect(mistake?.next).toContain('color')
})

test('of queries that failed those that read another of them are left out, and not those that only name it in a text', async () => {
  const file = reportFile(`\`\`\`sql wrong
select sevrity from scoped_incidents
\`\`\`

\`\`\`sql own
select 'wrong' as wrong, sevrity from scoped_incidents
\`\`\`

\`\`\`sql after
with w as (from wrong) from w
\`\`\`
`)
  const failed = 'failed: Binder Error: Referenced column "sevrity" not found in FROM clause!'
  expect(await found(file)).toEqual([`6: The query "wrong" ${failed}`, `10: The query "own" ${failed}`])
})
