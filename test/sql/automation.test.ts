import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import { asOf, HOUR, happening, start } from './small-company.ts'

const { happen, insert, one, rows, settings } = happening()

const configured = (automation: object) =>
  settings(settingsOf(readConfig(JSON.stringify({ reporting: { automation } }), 'c.json').data.reporting))

/** An incident, with times in seconds after the start. */
interface Case {
  ack: number | null
  close: number | null
  closer: number
  isRecovered: boolean
  integration: number
  isMuted: boolean
  people: { person: number; ack: number | null }[]
}

async function inhabit(cases: readonly Case[]) {
  await happen(
    cases.map(({ ack, close, closer, isRecovered, integration, isMuted }) => ({
      ...(ack === null ? {} : { ack_time: start + ack }),
      ...(close === null ? {} : { close_time: start + close }),
      ...(isRecovered ? { end_time: start + 1 } : {}),
      closer_id: closer,
      integration_id: integration,
      integration_type: integration === 40 ? 'Healer' : 'Prometheus',
      ever_muted: isMuted,
    })),
    asOf,
  )
  await insert(
    'members',
    [6, 7, 8, 9].map((member_id) => ({ member_id, member_name: `Member ${member_id}` })),
  )
  await insert(
    'incident_responders',
    cases.flatMap(({ people }, place) =>
      people.map(({ person, ack }, ordinal) => ({
        incident_id: `i${place}`,
        ordinal,
        person_id: person,
        assigned_at: start,
        ...(ack === null ? {} : { acknowledged_at: start + ack }),
      })),
    ),
  )
}

const overall = `from automation() where incident_severity = '(all)' and team_name = '(all)'`

describe('the metric `automation`', () => {
  test('excludes an acknowledgement by a robot after 45 s from people’s times', async () => {
    await configured({ members: ['Member 9'] })
    const people = [
      { person: 9, ack: 45 },
      { person: 7, ack: 2 * HOUR },
    ]
    const common = { close: 3 * HOUR, closer: 7, isRecovered: true, integration: 41, isMuted: false }
    await inhabit(Array.from({ length: 8 }, () => ({ ...common, ack: 45, people })))
    expect(await one('select median(time_to_ack_s) as half from incident_times')).toEqual({ half: 45 })
    expect(await one(overall)).toMatchObject({
      acknowledged_share: 1,
      resolved: 0,
      handed_share: 1,
      people_median_s: 2 * HOUR,
    })
  })

  test('returns no rows if no automation is configured', async () => {
    await configured({})
    await inhabit([
      { ack: 1, close: 2, closer: 8, isRecovered: true, integration: 40, isMuted: false, people: [] },
    ])
    expect([await rows('from automation()'), await rows('from incident_automation')]).toEqual([[], []])
  })
})
