import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import { HOUR, happening, start } from './small-company.ts'

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
  const outcomes = `with places (incident_id, team, service, region) as (values
      ('i0', 'Search', null, null), ('i1', 'Payments', null, null), ('i2', 'Payments', 'checkout', 'asia'),
      ('i3', 'Payments', 'checkout', 'eu'), ('i4', 'Payments', '(none)', 'us')),
    mine as (
      select times.* replace (team as team_name, map {'service': service, 'region': region} as dimensions)
      from incident_times times join places using (incident_id)
    ) select ack_target_s, ack_goal, ack_outcome from incident_targets(of_incidents := 'mine') order by incident_id`

  test('replace the targets of the severity, and the strictest custom target applies', async () => {
    await happen(Array.from({ length: 5 }, () => ({ ack_time: start + 130, close_time: start + 4000 })))
    await settings(given)
    const found = await rows(outcomes)
    expect(found.map((row) => [row.ack_target_s, row.ack_goal, row.ack_outcome])).toEqual([
      [600, 0.8, 'met'],
      [300, 0.8, 'met'],
      // The target of the team is stricter than that of the service, and that of the region is the strictest.
      [300, 0.8, 'met'],
      [60, 0.8, 'missed'],
      [null, 0.8, null],
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
