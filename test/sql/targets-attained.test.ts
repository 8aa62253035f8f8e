import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import { asOf, DAY, HOUR, happening, start } from './small-company.ts'

const { happen, earlier, one, rows, settings } = happening()

const raised = start + DAY
const series = `select *, incident_id in ('i0', 'i3', 'i4') as series from incident_times`
const alone = (which: boolean) =>
  rows(`with mine as (from (${series}) where series = ${which})
    from target_attainment(of_incidents := 'mine') order by all`)
const together = (which: boolean) =>
  rows(`with mine as (${series}), held as (from incident_targets(of_incidents := 'mine'))
    select * exclude (series) from targets_attained(of_targets := 'held') where series = ${which} order by all`)

test('target attainment of several series computed together equals that of each series alone', async () => {
  await happen([
    {
      incident_severity: 'Warning',
      ack_time: start + 9 * HOUR + 100,
      close_time: raised + 5 * HOUR,
      updated_at: raised + 3 * HOUR,
    },
    { ack_time: start + 200, close_time: start + 5 * HOUR },
    { incident_severity: 'Warning', start_time: start + 8 * DAY, close_time: start + 9 * DAY },
    { start_time: start + 8 * DAY, ack_time: start + 8 * DAY + 9 * HOUR, close_time: start + 9 * DAY },
    { start_time: asOf - 100 },
  ])
  await earlier({ incident_severity: 'Critical', updated_at: raised })
  const reporting = {
    workingHours: { office: { from: 9, to: '17:00' } },
    targets: {
      Critical: { ack: '5m', resolve: '8h', ackHours: 'office', resolveHours: 'office' },
      Warning: { ack: '1h' },
    },
  }
  await settings(
    settingsOf(readConfig(JSON.stringify({ reporting }), 'c.json').data.reporting, { timezone: 'UTC' }),
  )
  // The incident was Critical at its acknowledgement and a Warning at its close.
  expect(
    await one(`select ack_severity, ack_due_s, ack_outcome, resolve_severity, resolve_due_s
    from incident_targets() where incident_id = 'i0'`),
  ).toEqual({
    ack_severity: 'Critical',
    ack_due_s: 9 * HOUR + 300,
    ack_outcome: 'met',
    resolve_severity: 'Warning',
    resolve_due_s: DAY,
  })
  for (const which of [true, false]) {
    const found = await together(which)
    expect(found.length).toBeGreaterThan(3)
    expect(found).toEqual(await alone(which))
  }
})
