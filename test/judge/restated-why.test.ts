import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { words } from '../../src/render/summary.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { warehouseFiles } from '../../src/warehouse/file/files.ts'
import { noteReportRun } from '../../src/warehouse/read/report-runs.ts'
import { reportOn } from '../page/company-report.ts'
import { pageWords } from '../page/page-text.ts'
import { reportFile, scratch } from '../support/warehouse.ts'
import { change, incident, sync } from './restated-world.ts'

/** The cards of the default reports, with the same queries. */
const file = reportFile(
  `\`\`\`sql s
with now as (from scoped_incidents where period = 'current')
select count(*) as incidents, count(*) filter (incident_severity = 'Critical') as critical, median(tta) as tta, median(ttr) as ttr,
  count(*) filter (incident_severity = 'Critical') / count(*) as critical_share,
  count(*) filter (band <> 'work') / count(*) as outside
from now
\`\`\`
\`\`\`sql in_time
with severe as (from scoped_incidents where period = 'current' and incident_severity in ('Critical', 'Warning'))
select share as within from target_attainment(of_incidents := 'severe')
where incident_severity = '(all)' and team_name = '(all)' and measure = 'acknowledge'
\`\`\`
\`\`\`sql nights
select count(*) as pages from scoped_pages where period = 'current' and band = 'sleep'
\`\`\`
\`\`\`kpi
- { label: Incidents, value: s.incidents, format: number }
- { label: Critical, value: s.critical, format: number }
- { label: Acknowledge, value: s.tta, format: duration }
- { label: Resolve, value: s.ttr, format: duration }
- { label: Critical share, value: s.critical_share, format: percent }
\`\`\`
\`\`\`kpi
- { label: Outside, value: s.outside, format: percent }
- { label: In time, value: in_time.within, format: percent }
- { label: Calls at night, value: nights.pages, format: number }
\`\`\`
`,
  'title: T\nparams: { period: "2026-10-05..2026-10-12", timezone: UTC }',
)

let path: string
let night = 1
beforeAll(async () => {
  path = join(scratch(), 'warehouse.duckdb')
  copyFileSync(inject('templates').synced, path)
  const at = (hour: number, minute = 0) =>
    `timestamptz '2026-10-06 ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00+00'`
  const one = (id: string, minutes: number, values = {}) =>
    incident(id, 1, { start_time: at(10), ack_time: at(10, minutes), close_time: at(11, minutes), ...values })
  await sync(
    ...([path, 1, '2026-10-13 00:00:00+00'] as const),
    // Targets are 15 minutes for Warnings and 5 minutes for Critical incidents.
    ...[2, 3, 4, 10, 12].map((minutes, place) => one(`w${place}`, minutes)),
    ...[1, 2].map((minutes, place) => one(`c${place}`, minutes, { incident_severity: `'Critical'` })),
    one('info', 5, { incident_severity: `'Info'` }),
    ...['x', 'y', 'z'].map(
      (id) =>
        `${one(id, 5)}; update incidents set vanished_at = timestamptz '2026-10-12 00:00:00+00' where incident_id = '${id}'`,
    ),
  )
})

const run = () => reportOn(path, file)

/** Returns the reasons and incidents of each restated figure after a sync that runs the statements. */
async function restatedBy(...statements: ((run: number) => string[])[]): Promise<Record<string, string[]>> {
  return restatedSince(`2026-10-${12 + night}T01:00:00Z`, ...statements)
}

/** @param ranAt time of the previous run by the clock of its machine */
async function restatedSince(ranAt: string, ...statements: ((run: number) => string[])[]) {
  const before = await run()
  night++
  const day = 12 + night
  noteReportRun(warehouseFiles(path), before.run, { version: '1.2.3', now: Date.parse(ranAt) })
  await sync(path, night, `2026-10-${day} 00:00:00+00`, ...statements.flatMap((of) => of(night)))
  const { restated } = await run()
  return Object.fromEntries(
    (restated?.figures ?? []).map(({ label, reasons }) => [
      label,
      reasons.map(({ reason, examples }) => `${reason}: ${examples.join(', ')}`),
    ]),
  )
}

const moved = (id: string, minutes: number) => (run: number) =>
  change(id, run, `start_time = start_time + to_minutes(${minutes})`)
const set = (id: string, what: string) => (run: number) => change(id, run, what)

test('a restatement caused by a changed start time names that reason and the incident', async () => {
  // The acknowledgement came after 12 minutes, within the target of 15. Now it comes after 52.
  expect(await restatedBy(moved('w4', -40))).toEqual({ 'In time': ['with a different start time: INC-w4'] })
})

test('each restated figure lists only incidents that could have changed that figure', async () => {
  expect(
    await restatedBy(
      // The incident became Critical after a review. The target for Warning still applies.
      set('w3', `incident_severity = 'Critical', updated_at = timestamptz '2026-10-14 00:00:00+00'`),
      moved('w2', -22),
      set('w1', `close_time = close_time + interval 3 hour`),
    ),
  ).toEqual({
    Critical: ['with a different severity: INC-w3'],
    'Critical share': ['with a different severity: INC-w3'],
    Acknowledge: ['with a different start time: INC-w2'],
    'In time': ['with a different start time: INC-w2'],
    Resolve: ['with a different close time: INC-w1', 'with a different start time: INC-w2'],
  })
})

test('an incident that reappears in the service is a reason for a restatement', async () => {
  const back = (id: string) => (run: number) => change(id, run, 'vanished_at = null')
  const said = await restatedBy(back('x'), back('y'), back('z'))
  expect(said.Incidents).toEqual(['in the service again: INC-x, INC-y, INC-z'])
  expect(said['In time']).toEqual(['in the service again: INC-x, INC-y, INC-z'])
  expect(said['Critical share']).toEqual(['in the service again: INC-x, INC-y, INC-z'])
  expect(Object.keys(said)).not.toContain('Critical')
})

test('an Info incident is not reported as a reason for high-severity figures', async () => {
  const gone = (run: number) => [
    `update incidents set vanished_at = timestamptz '2026-10-${12 + run} 00:05:00+00' where incident_id = 'info'`,
  ]
  const said = await restatedBy(gone, set('c1', `ack_time = start_time + interval 6 minute`))
  expect(said.Incidents).toEqual(['removed from the service: INC-info'])
  expect(said['In time']).toEqual(['with a different acknowledgement: INC-c1'])
})

test('a restatement that no incident explains is attributed to other synced data', async () => {
  const assigned = `insert into incident_responders by name
    select 1 as account_id, 'w0' as incident_id, 0 as ordinal, 7 as person_id, timestamptz '2026-10-06 02:00:00+00' as assigned_at`
  expect(await restatedBy(() => [assigned])).toEqual({ 'Calls at night': ['other data was synced since: '] })
  expect(
    await restatedBy(moved('w2', -60 * 8), () => [
      `update incident_responders set assigned_at = assigned_at + interval 12 hour where incident_id = 'w0'`,
    ]),
  ).toMatchObject({
    'Calls at night': ['with a different start time: INC-w2'],
    Outside: ['with a different start time: INC-w2'],
  })
})

test('the top of the report page and the terminal show the reason for a restatement', async () => {
  await restatedBy(moved('w1', -40))
  const result = await run()
  const page = pageWords(toHtml(result)).join(' ')
  const sentence =
    /Changed since the report of 19 Oct 00:00: .*In time \d+% → \d+% \(1 with a different start time: INC-w1\)/
  expect(page.slice(0, page.indexOf('How these figures are calculated'))).toMatch(sentence)
  expect(words(toTerminal(result, { width: 200, color: false }))).toMatch(sentence)
})

test('a clock that was wrong by months does not hide the reason for a restatement', async () => {
  for (const ranAt of ['2026-12-24T00:00:00Z', '2026-01-01T00:00:00Z'])
    expect(await restatedSince(ranAt, (run) => [incident(`n${run}`, run)])).toMatchObject({
      Incidents: [`new: INC-n${night}`],
    })
})
