import { describe, expect, test } from 'vitest'
import { checkReport, mistakesOf } from '../../../src/page/check-report.ts'
import { runReport } from '../../../src/page/run-report.ts'
import { readerOn } from '../../page/company-report.ts'
import { reportFile } from '../../support/warehouse.ts'
import { settleCompany } from '../../support/world.ts'

const opened = readerOn(settleCompany)

/** The errors of a file as `line: message`. */
const found = async (file: string) =>
  (await mistakesOf(file, opened.reader)).map(({ line, message }) => `${line}: ${message.split('\n', 1)[0]}`)

/** A report with errors in every kind of block and in its front matter, which begins on line 2. */
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

describe('the check of a report file', () => {
  test('reports every error in a file once, sorted by line', async () => {
    const file = reportFile(full, front)
    expect(await found(file)).toEqual([
      '3: "13 wekks" is not a period.',
      '5: The query "q" has no column "p".',
      '6: Unknown query "r".',
      '8: Unknown format "nubmer".',
      '8: The tag {{ broken }} does not have the form {{ query.column | format }}.',
      '8: Unknown query "nope".',
      '10: Reports do not support this kind of Markdown (blockquote).',
      '12: The link to http://insecure.example does not begin with https://.',
      '12: The query "q" has no column "m".',
      '19: The query "wrong" failed: Binder Error: Referenced column "sevrity" not found in FROM clause!',
      '27: type: invalid value "lin".',
      '32: Unknown key "fromat".',
      '32: The key "0.format" is missing.',
      '32: The query "q" has no column "o".',
      '37: The query "q" has no column "o".',
      '42: The query "q" has no column "m".',
      '46: Unknown kind of block "tabel".',
    ])
  })

  test('continues with the blocks after an error in the front matter', async () => {
    const file = reportFile('{{ q.n | nubmer }}\n', 'titel: T\nfail_if: [{ name: a b, when: q > 1 }]')
    expect(await found(file)).toEqual([
      '2: Unknown key "titel".',
      '2: The key "title" is missing.',
      expect.stringMatching(/^3: fail_if\.0\.name: expected letters/),
      expect.stringMatching(/^3: fail_if\.0\.when: expected query\.column/),
      '5: Unknown format "nubmer".',
    ])
  })

  test('accepts a valid report, and throws the first error of an invalid one', async () => {
    const right = reportFile('{{ q.n | number }}\n\n```sql q\nselect 1 as n\n```\n')
    expect(await found(right)).toEqual([])
    await checkReport(right, opened.reader)
    const wrong = reportFile('{{ q.n | number }}\n\n{{ q.m }}\n')
    for (const act of [checkReport, runReport])
      await expect(act(wrong, opened.reader)).rejects.toThrow('Unknown query "q".')
  })
})

test('the error for a misspelled column in a report query suggests the closest column', async () => {
  const file = reportFile('```sql q\nselect incident_severty from scoped_incidents\n```\n')
  const error = await runReport(file, opened.reader).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ line: 6, next: expect.stringContaining('incident_severity') })
})

test('the error of a report query is not repeated for queries that read from the failed query', async () => {
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
