import { expect, test } from 'vitest'
import { words } from '../../src/render/summary.ts'
import { objectsOf } from '../../src/warehouse/read/rows-to-objects.ts'
import { reportOn } from '../page/company-report.ts'
import { company, readAt } from '../page/odd-worlds.ts'
import { withObjectives } from '../support/objectives.ts'
import { fill } from '../support/tables.ts'
import { reportFile, warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'

/** A number of incidents of a severity on each day of a period. */
const daily = (severity: string, perDay: number, from: string, to: string) => `(
  select json_object(
    'incident_id', md5(format('{} {} {}', '${severity}', day, k))[:24], 'account_id', 1, 'incident_severity', '${severity}',
    'progress', 'Closed', 'start_time', day + k * 60, 'close_time', day + k * 60 + 600, 'updated_at', day + k * 60 + 600
  ) as json
  from unnest(range(epoch(timestamptz '${from}')::bigint, epoch(timestamptz '${to}')::bigint, 86400)) as d (day), range(${perDay}) as i (k))`

const report = reportFile(
  `\`\`\`kpi
- { metric: incidents }
- { metric: incidents, as: critical, label: Critical, where: "severity = 'Critical'" }
- { metric: incidents, as: info, label: Info, where: "severity = 'Info'" }
\`\`\`
`,
)

test('the card of one severity does not name the day of the overall spike if that severity spiked on another day', async () => {
  const file = await warehouseFile(async (connection) => {
    await fill(connection, 'incidents', daily('Info', 2, '2026-02-02', '2026-03-30'))
    await fill(connection, 'incidents', daily('Critical', 1, '2026-02-02', '2026-03-30'))
    // Nearly all incidents of that week came on Thursday, but Criticals on Tuesday.
    await fill(connection, 'incidents', daily('Info', 900, '2026-03-19', '2026-03-20'))
    await fill(connection, 'incidents', daily('Critical', 60, '2026-03-17', '2026-03-18'))
  })
  const { kpis } = await reportOn(file, report, { period: '2026-03-02..2026-03-30', timezone: 'UTC' })
  const said = new Map(kpis.map(({ label, change }) => [label, words(change?.verdict ?? '')]))
  expect(said.get('Incidents')).toMatch(/nearly all on 19 Mar/)
  expect(said.get('Info')).toMatch(/nearly all on 19 Mar/)
  expect(said.get('Critical')).toMatch(/in the week of 16 Mar/)
})

test('the alert behind a spike of a week is counted only within that week', async () => {
  const alert = (day: number, count: number) =>
    Array.from({ length: count }, (_, place) => ({
      // 1 October is a Thursday. Incidents are closed after different times, which do not look like a timer.
      ...{
        ago: (readAt - Date.UTC(2026, 9, day, 6, 0, place) / 1_000) / 86_400,
        close: 600 + 37 * (place % 90),
      },
      ...{ team: 'Search', title: 'ranking-api answers slowly' },
    }))
  const spike = [...[1, 2, 3, 4].flatMap((day) => alert(day, 60)), ...alert(5, 40)]
  const usual = Array.from({ length: 150 }, (_, place) => ({
    ...{
      ago: 0.5 + place * 1.2,
      close: 600 + 41 * (place % 80),
      team: place % 2 ? 'Search' : 'Payments',
    },
  }))
  // The week has no incident before Thursday.
  const made = [...usual.filter(({ ago }) => ago < 32.5 || ago > 36), ...spike]
  const file = await warehouseFile((connection) => inhabit(connection, company(made)))
  const { verdict } = await reportOn(file, 'reports/reliability-review.md', { timezone: 'UTC' })
  expect(words(verdict)).toMatch(/Spike in the week of 1 Oct: 24\d incidents .*; 240 are one alert/)
  // Nothing of the spike is open, so it does not concern the next shift.
  const handover = await reportOn(file, 'reports/on-call-handover.md', { timezone: 'UTC' })
  expect(words(handover.verdict)).toMatch(/^No incident needs action; /)
})

test('an objective that only the incidents of a spike miss is reported as met without the spike', async () => {
  const usual = Array.from({ length: 600 }, (_, place) => ({ ago: 0.5 + place * 0.3, ack: 60 }))
  const spike = Array.from({ length: 200 }, (_, place) => ({
    ...{ ago: 30 + place / 1_000, severity: 'Critical', ack: 7_200, close: 9_000 },
  }))
  const file = await warehouseFile((connection) => inhabit(connection, company([...usual, ...spike])))
  const { queries, findings } = await reportOn(file, 'reports/reliability-review.md', {
    timezone: 'UTC',
    settings: withObjectives,
  })
  const verdicts = objectsOf(queries.find(({ name }) => name === 'targets')!)
    .filter(({ measure }) => measure === 'acknowledge')
    .map(({ severity, verdict }) => [severity, verdict])
  expect(verdicts).toEqual([
    ['Critical', 'missed; met without the spike'],
    ['Warning', 'met'],
    ['Info', 'met'],
  ])
  const sentences = objectsOf(findings!).map(({ sentence }) => String(sentence))
  expect(sentences.find((text) => text.startsWith('Spike on'))).toBeDefined()
  expect(sentences.join(' ')).toMatch(
    /% of Critical incidents were acknowledged within target \(objective: 90%; without the spike: 100%, met\)/,
  )
})
