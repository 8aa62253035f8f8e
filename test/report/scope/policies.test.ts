import { beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../../src/page/run-report.ts'
import type { QueryResult, ReportResult } from '../../../src/render/result.ts'
import { defaultSettings, type Settings } from '../../../src/settings/settings.ts'
import { openReader } from '../../support/storage.ts'
import { reportFile, warehouseFile } from '../../support/warehouse.ts'
import { settleCompany } from '../../support/world.ts'

let path: string
beforeAll(async () => {
  path = await warehouseFile(settleCompany)
})

const sql = (name: string, text: string) => `\`\`\`sql ${name}\n${text}\n\`\`\`\n`
const rowsOf = ({ queries }: ReportResult, name: string) =>
  (queries.find((query) => query.name === name) as QueryResult).rows
const run = async (body: string, settings: Partial<Settings>) => {
  const reader = await openReader(path, { settings: { ...defaultSettings, ...settings } })
  try {
    return await runReport(reportFile(body), reader)
  } finally {
    reader.close()
  }
}
const policies = (ack: string, cohort = 'started') => ({
  policies: [
    { name: 'ack', value: ack },
    { name: 'cohort', value: cohort },
  ],
})

describe('the acknowledgement policy', () => {
  test.each(['exclude', 'close_counts', 'first_action'])(
    '%s gives a report the same times as the SQL macro policy_times',
    async (ack) => {
      const body =
        sql(
          'ours',
          `select incident_id, tta from scoped_incidents where period = 'current' and tta is not null order by 1`,
        ) +
        sql(
          'theirs',
          `select incident_id, seconds from policy_times() join incident_times using (account_id, incident_id)
         where measure = 'time_to_ack' and policy = '${ack}' and seconds is not null
           and start_time >= $period_start and start_time < $period_end order by 1`,
        )
      const result = await run(body, policies(ack))
      expect(rowsOf(result, 'ours').length).toBeGreaterThan(300)
      expect(rowsOf(result, 'ours')).toEqual(rowsOf(result, 'theirs'))
      expect(result.counted.rules.find(({ term }) => term === 'Time to acknowledge')?.text).toContain(
        ack === 'exclude' ? 'unacknowledged incidents are excluded' : `policy ${ack}`,
      )
    },
  )
})

test('the sensitivity table of a report equals definition_sensitivity for the incidents of its period', async () => {
  const body =
    `Text.\n\n` +
    sql(
      'theirs',
      `with mine as (from scoped_incidents where period = 'current')
       select measure, policy, is_chosen, n::double, median_s, mean_s from definition_sensitivity(of_incidents := 'mine')
       order by measure, is_chosen desc, policy`,
    ) +
    sql('acknowledged', 'select median(tta) from scoped_incidents')
  const result = await run(body, policies('close_counts'))
  const ours = result.counted.sensitivity!
  expect(ours.length).toBeGreaterThan(6)
  expect(ours.map(({ measure, rule, isChosen, n, median }) => [measure, rule, isChosen, n, median])).toEqual(
    rowsOf(result, 'theirs').map((row) => row.slice(0, 5)),
  )
  const counts = await run(sql('counts', 'select count(*) from scoped_incidents'), policies('close_counts'))
  expect(counts.counted.sensitivity).toBeUndefined()
})

test('the cohort policy `closed` selects the incidents closed in the period, by week of closing', async () => {
  const body =
    sql(
      'ours',
      `select week, count(*) from scoped_incidents where period = 'current' group by week order by week`,
    ) +
    sql(
      'by_hand',
      `select date_trunc('week', close_time at time zone 'Europe/Berlin')::date as week, count(*) from incident_times
       where progress = 'Closed' and close_time >= $period_start and close_time < $period_end group by all order by all`,
    ) +
    sql('open', 'select count(*) from scoped_incidents where is_open')
  const result = await run(body, policies('exclude', 'closed'))
  expect(rowsOf(result, 'ours')).toEqual(rowsOf(result, 'by_hand'))
  expect(rowsOf(result, 'open')).toEqual([[0n]])
  const counted = result.counted.funnel.find(({ label }) => label === 'included')!.count
  expect(counted).toBe(rowsOf(result, 'ours').reduce((sum, row) => sum + Number(row[1]), 0))
  expect(result.counted.rules[0]!.text).toContain('in which it was closed')
})

test('a report uses the targets, minimum sample sizes and working hours of the configuration', async () => {
  const body =
    sql('targets', `select ack_target_s('Critical') as critical, ack_target_s('Warning') as warning`) +
    sql('few', `select p90(n) as some, median_low(n) as low from range(7) as t(n)`) +
    sql('bands', `select distinct band from scoped_incidents`)
  const result = await run(body, {
    targets: [
      { severity: 'Critical', ack_target_s: 60, resolve_target_s: null, ack_goal: null, resolve_goal: null },
    ],
    thresholds: [
      { name: 'p90_min_n', value: 5 },
      { name: 'interval_min_n', value: 8 },
    ],
    bands: [{ band: 'work', weekdays: [1, 2, 3, 4, 5, 6, 7], from_hour: 0, to_hour: 24, rank: 1 }],
  })
  expect(rowsOf(result, 'targets')).toEqual([[60, null]])
  expect(rowsOf(result, 'few')).toEqual([[5.4, null]])
  expect(rowsOf(result, 'bands')).toEqual([['work']])
  const hours = (from: ReportResult) => from.counted.rules.find(({ term }) => term === 'Hours')!.text
  expect(hours(result)).toMatch(/^working hours are 0–24 every day, /)
  expect(hours(await run(sql('bands', 'select band from scoped_incidents'), {}))).toMatch(
    /^night is 23–8 every day, working hours are 8–19 Mon–Fri, /,
  )
})
