import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import { mistakesOf } from '../../src/page/check-report.ts'
import { runReport } from '../../src/page/run-report.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import { companyReaders, report, rowsOf, sql } from '../page/company-report.ts'

const measures = {
  mitigate: { from: 'start_time', to: 'end_time', title: 'Time to mitigate', target: '1h', goal: 0.5 },
}
const company = companyReaders(
  settingsOf(readConfig(JSON.stringify({ reporting: { measures } }), 'c.json').data.reporting),
)
const block = (kind: string, text: string) => `\`\`\`${kind}\n${text}\n\`\`\`\n`

/** Query of the rows from which the tests compute the figures independently. */
const plain = `select period, team_name as team, epoch(end_time) - epoch(start_time) as seconds, is_open
  from scoped_incidents where not is_muted and period = 'current'`
interface Row {
  team: string
  seconds: number | null
  is_open: boolean
}
const median = (values: number[]) => {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2
}

test('a custom measure has the median, interval, trend and target of a metric', async () => {
  const body = `${sql('own_rows', plain)}${block('kpi cards', '- { metric: mitigate }\n- { metric: mitigate_in_time }')}${block(
    'table by_team',
    'by: team\ncolumns:\n  - { metric: mitigate, show: [median, p90] }',
  )}${block('chart', 'type: line\ntitle: T\nmetric: mitigate\nby: week')}${block(
    'chart',
    'type: percentiles\ntitle: T\nmetric: mitigate\nby: severity',
  )}`
  const result = await runReport(report(body), company.reader)
  const rows = rowsOf(result, 'own_rows') as unknown as Row[]
  const done = rows.flatMap(({ seconds }) => (seconds !== null && seconds >= 0 ? [seconds] : []))
  const [card, share] = result.kpis
  expect(card).toMatchObject({ label: 'Time to mitigate', n: done.length })
  const [current] = rowsOf(result, 'cards').filter(({ period }) => period === 'current')
  expect(current!.mitigate).toBeCloseTo(median(done), 6)
  expect(card!.interval).not.toBeNull()
  expect(card!.change).not.toBeNull()
  expect(card!.trend.length).toBeGreaterThan(10)
  expect(card!.link).not.toBeNull()
  expect(share!.target?.text).toMatch(/^at least 50%$/)
  const late = rows.filter(({ seconds, is_open }) => seconds === null && is_open).length
  expect(Number(current!.mitigate_in_time_n)).toBe(done.length + late)
  expect(current!.mitigate_in_time).toBeCloseTo(
    done.filter((seconds) => seconds <= 3600).length / (done.length + late),
    12,
  )
  for (const { team, mitigate, mitigate_n } of rowsOf(result, 'by_team')) {
    const own = rows
      .filter((row) => row.team === team)
      .flatMap(({ seconds }) => (seconds !== null && seconds >= 0 ? [seconds] : []))
    expect([team, Number(mitigate_n)]).toEqual([team, own.length])
    expect(mitigate).toBeCloseTo(median(own), 6)
  }
})

test('the incident list of a custom measure has as many incidents as its card counts', async () => {
  const body = `${sql('own_rows', plain)}${block('kpi cards', '- { metric: mitigate }\n- { metric: mitigate_in_time }')}${block(
    'table by_team',
    'by: team\ncolumns:\n  - { metric: mitigate }\n  - { metric: mitigate_in_time, label: In time }',
  )}`
  const result = await runReport(report(body), company.reader)
  const rows = rowsOf(result, 'own_rows') as unknown as Row[]
  const isMeasured = ({ seconds, is_open }: Row) => (seconds === null ? is_open : seconds >= 0)
  const counted = (team: string | null, which: (row: Row) => boolean) =>
    rows.filter((row) => (team === null || row.team === team) && isMeasured(row) && which(row)).length
  const countOf = (link: string | null | undefined) =>
    result.lists!.lists.find(({ id }) => id === link)?.count
  const [card, share] = result.kpis
  const isDone = ({ seconds }: Row) => seconds !== null
  expect(countOf(card!.link)).toBe(counted(null, isDone))
  // Every open incident of the company missed the target of one hour.
  expect(countOf(share!.link)).toBe(counted(null, () => true))
  expect(counted(null, isDone)).toBeLessThan(counted(null, () => true))
  expect(result.warnings).toEqual([])
})

test('a report query can read custom measures even if an earlier report in the session used none', async () => {
  const sessions = pooled(company.reader)
  const asked = (text: string) => runReport(report(text), sessions)
  await asked(sql('n', 'select count(*) as n from scoped_incidents'))
  const joined = `select count(*) as n, count(measures['mitigate']) as done, count(open_measures['mitigate']) as open
    from scoped_incidents
    where period = 'current' and not muted and coalesce(measures['mitigate'], open_measures['mitigate']) is not null`
  const body = `${sql('own_rows', plain)}${sql('q', joined)}`
  const result = await asked(body)
  const rows = rowsOf(result, 'own_rows') as unknown as Row[]
  const done = rows.filter(({ seconds }) => seconds !== null && seconds >= 0).length
  const open = rows.filter(({ seconds, is_open }) => seconds === null && is_open).length
  expect(rowsOf(result, 'q').map((row) => [row.n, row.done, row.open].map(Number))).toEqual([
    [done + open, done, open],
  ])
  expect(done * open).toBeGreaterThan(0)
  sessions.close()
})

test('the error for a misspelled measure in a report suggests the correct name', async () => {
  const [mistake] = await mistakesOf(report(block('kpi', '- { metric: mitigat }')), company.blank)
  expect([mistake?.message, mistake?.next]).toEqual(['Unknown metric "mitigat".', 'Did you mean "mitigate"?'])
})

test('a metric with the name of a custom measure is rejected with its line in metrics.yaml', async () => {
  const file = report(block('kpi', '- { metric: mitigate }'))
  const own = join(dirname(file), 'metrics.yaml')
  writeFileSync(own, 'metrics:\n  mitigate: { label: Mine, count: "true" }\n')
  const found = await mistakesOf(file, company.blank)
  rmSync(own)
  expect(found.map((one) => [one.file, one.line, one.message, one.next])).toEqual([
    [
      own,
      2,
      '"mitigate" is the name of both a metric here and a measure in the configuration.',
      'Rename one of them, such as own_mitigate.',
    ],
  ])
})
