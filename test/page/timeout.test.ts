import { describe, expect, inject, test } from 'vitest'
import { ReportError } from '../../src/errors.ts'
import { runReport } from '../../src/page/run-report.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import { reportFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'
import { readerOn } from './company-report.ts'

const opened = readerOn(settleCompany)

const sql = (name: string, text: string) => `\`\`\`sql ${name}\n${text}\n\`\`\`\n`
const endless: Record<string, string> = {
  'a recursion':
    'with recursive r(i) as (select 1 union all select i + 1 from r) select count(*) as n from r',
  'a cross join':
    'select count(*) as n from range(10000000) a, range(10000000) b where hash(a.range, b.range) = 1',
  'a function call that DuckDB cannot interrupt':
    'select sum(levenshtein(repeat(chr(97 + i::int % 2), 3000), repeat(chr(98), 3000))) as n from range(1500) t(i)',
}

describe.each(Object.entries(endless).slice(0, inject('isLarge') ? undefined : 1))(
  'a report with an endless query (%s)',
  (_, text) => {
    test('is stopped after the timeout with an error at the line of the query', async () => {
      const sessions = pooled(opened.reader)
      // Prepare the shared relations first, since they may exceed the timeout on a busy machine.
      await runReport(reportFile(sql('q', 'select 1 as n')), sessions)
      const file = reportFile(`${sql('fine', 'select 1 as n')}\n${sql('slow', text)}`)
      const error = await runReport(file, sessions, { timeoutMs: 5_000 }).catch((each: unknown) => each)
      expect(error).toBeInstanceOf(ReportError)
      expect(error).toMatchObject({
        line: 10,
        message: expect.stringMatching(/^The query "slow" failed: .*5 s/),
        next: expect.stringContaining('reporting.timeout'),
      })
      const next = await runReport(reportFile(sql('q', 'select 42 as n')), sessions, { timeoutMs: 60_000 })
      expect(next.queries.find(({ name }) => name === 'q')?.rows).toEqual([[42]])
    })
  },
)

test('a report timeout above the maximum of JavaScript timers is accepted', async () => {
  const long = sql('q', 'select count(*)::int as n from range(20000000) t(i) where hash(i) = 1')
  const { queries } = await runReport(reportFile(long), pooled(opened.reader), { timeoutMs: 30 * 86_400_000 })
  expect(queries.find(({ name }) => name === 'q')?.rows).toEqual([[0]])
})

test('the timeout of a finished report does not stop later reports', async () => {
  const sessions = pooled(opened.reader)
  for (let turn = 0; turn < 3; turn++) {
    const { queries } = await runReport(reportFile(sql('q', `select ${turn} as n`)), sessions, {
      timeoutMs: 30_000,
    })
    expect(queries.find(({ name }) => name === 'q')?.rows).toEqual([[turn]])
  }
})
