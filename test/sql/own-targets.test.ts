import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import { asOf, DAY, HOUR, happening, start } from './small-company.ts'

const { happen, rows, settings } = happening()

describe('custom targets', () => {
  const asked = {
    defaults: false,
    Critical: { ack: '10m', ackGoal: 0.8 },
    teams: { Payments: { Critical: { ack: '5m' }, Info: { resolve: '1h', resolveGoal: 0.5 } } },
    dimensions: {
      service: { checkout: { Critical: { ack: '8m', ackGoal: 0.9 } } },
      region: { eu: { Critical: { ack: '1m' } }, us: { Critical: { ack: null, overrides: true } } },
    },
  }
  const reporting = { dimensions: { service: 'label.service', region: 'label.region' }, targets: asked }
  const given = settingsOf(readConfig(JSON.stringify({ reporting }), 'c.json').data.reporting)
  const of = (columns: string, name: string) => `with places (incident_id, team, service, region) as (values
      ('i0', 'Search', null, null), ('i1', 'Payments', null, null), ('i2', 'Payments', 'checkout', 'asia'),
      ('i3', 'Payments', 'checkout', 'eu'), ('i4', 'Payments', '(none)', 'us')),
    mine as (
      select times.* replace (team as team_name, map {'service': service, 'region': region} as dimensions)
      from incident_times times join places using (incident_id)
    ) select ${columns} from ${name}(of_incidents := 'mine')`

  test('replace the targets of the severity, and the strictest custom target applies', async () => {
    await happen(Array.from({ length: 5 }, () => ({ ack_time: start + 130, close_time: start + 4000 })))
    await settings(given)
    const found = await rows(
      `${of('ack_target_s, ack_goal, ack_outcome', 'incident_targets')} order by incident_id`,
    )
    expect(found.map((row) => [row.ack_target_s, row.ack_goal, row.ack_outcome])).toEqual([
      [600, 0.8, 'met'],
      [300, 0.8, 'met'],
      // The target of the team is stricter than that of the service, and that of the region is the strictest.
      [300, 0.8, 'met'],
      [60, 0.8, 'missed'],
      [null, 0.8, null],
    ])
  })
  test('are null in the total row for teams with different targets', async () => {
    await happen(Array.from({ length: 4 }, () => ({ ack_time: start + 130, close_time: start + 4000 })))
    await settings(given)
    const found = await rows(
      `${of('team_name, met, missed, target_s, goal', 'target_attainment')} where measure = 'acknowledge'
       and incident_severity = 'Critical' order by team_name`,
    )
    expect(found).toEqual([
      expect.objectContaining({ team_name: '(all)', met: 3, missed: 1, target_s: null }),
      expect.objectContaining({ team_name: 'Payments', met: 2, missed: 1, target_s: null }),
      expect.objectContaining({ team_name: 'Search', met: 1, missed: 0, target_s: 600, goal: 0.8 }),
    ])
    expect(found[0]!.goal).toBeCloseTo(0.8, 12)
  })
  test('can come from the team for acknowledgement and from a dimension for resolution', async () => {
    const reporting = {
      workingHours: { office: { from: 9, to: 17 } },
      dimensions: { service: 'label.service' },
      targets: {
        teams: { Payments: { Critical: { ack: '2m' } } },
        dimensions: { service: { checkout: { Critical: { resolve: '1h', resolveHours: 'office' } } } },
      },
    }
    await settings(settingsOf(readConfig(JSON.stringify({ reporting }), 'c.json').data.reporting))
    await happen([{}])
    const found = await rows(
      `with mine as (select * replace ('Payments' as team_name, map {'service': 'checkout'} as dimensions) from incident_times)
       select ack_target_s, ack_hours, resolve_target_s, resolve_hours from targets_for(of_incidents := 'mine')
       where severity = 'Critical'`,
    )
    expect(found).toEqual([
      { ack_target_s: 120, ack_hours: null, resolve_target_s: HOUR, resolve_hours: 'office' },
    ])
  })
  test('in working hours are due after that much working time in the team’s time zone', async () => {
    const friday = start + 4 * DAY + 16 * HOUR
    await happen([
      { start_time: friday, ack_time: friday + 3 * DAY, close_time: friday + 3 * DAY },
      { start_time: friday, ack_time: friday + 3 * DAY - 7 * HOUR, close_time: friday + 3 * DAY - HOUR },
      { start_time: friday },
    ])
    const reporting = {
      workingHours: { office: { from: 9, to: '17:00' } },
      teamZones: { '(unknown)': 'Europe/Lisbon' },
      targets: { Critical: { ack: '1h', resolve: '8h', ackHours: 'office', resolveHours: 'office' } },
    }
    await settings(
      settingsOf(readConfig(JSON.stringify({ reporting }), 'c.json').data.reporting, {
        timezone: 'Asia/Tokyo',
      }),
    )
    const found = await rows(`with mine as (select * replace ('(unknown)' as team_name) from incident_times)
      select ack_target_s, ack_due_s, ack_outcome, ack_late_s, resolve_due_s, resolve_outcome
      from incident_targets(of_incidents := 'mine') order by incident_id`)
    const weekend = 2 * DAY + 17 * HOUR
    expect(found).toEqual([
      {
        ack_target_s: HOUR,
        ack_due_s: weekend,
        ack_outcome: 'missed',
        ack_late_s: 7 * HOUR,
        resolve_due_s: 3 * DAY,
        resolve_outcome: 'met',
      },
      {
        ack_target_s: HOUR,
        ack_due_s: weekend,
        ack_outcome: 'met',
        ack_late_s: null,
        resolve_due_s: 3 * DAY,
        resolve_outcome: 'met',
      },
      {
        ack_target_s: HOUR,
        ack_due_s: weekend,
        ack_outcome: 'missed',
        ack_late_s: asOf - friday - weekend,
        resolve_due_s: 3 * DAY,
        resolve_outcome: 'missed',
      },
    ])
  })
})

test('a company that never acknowledges is exempt from acknowledgement targets', async () => {
  const outcomes = async (incidents: number, acknowledged: number) => {
    await happen(
      Array.from({ length: incidents }, (_, place) => ({
        ...(place < acknowledged ? { ack_time: start + 60 } : {}),
        close_time: start + 8 * HOUR,
      })),
    )
    const [found] = await rows(`select count(*) filter (ack_outcome = 'missed') as missed,
        count(*) filter (resolve_outcome = 'missed') as late from incident_targets()`)
    return found
  }
  expect(await outcomes(20, 0)).toEqual({ missed: 0, late: 20 })
  expect(await outcomes(20, 1)).toEqual({ missed: 19, late: 20 })
  expect(await outcomes(19, 0)).toEqual({ missed: 19, late: 19 })
})
