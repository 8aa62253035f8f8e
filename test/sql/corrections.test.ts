import { expect, test } from 'vitest'
import { unknownCorrections } from '../../src/definitions/custom-definitions-sql.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { HOUR, happening, start } from './small-company.ts'

const { configured, connection, happen, insert, one, rows } = happening()

const fix = (incident_id: string, field: string, value: string) => ({
  ...{ incident_id, field, value, who: 'Ann', why: 'a robot was wrong', at: `fixes.csv:${incident_id}` },
})
const given = {
  ...defaultSettings,
  corrections: [
    fix('i0', 'ack_time', new Date((start + 600) * 1000).toISOString()),
    fix('i0', 'incident_severity', 'Info'),
    fix('i1', 'ack_time', ''),
    fix('gone', 'end_time', ''),
  ],
}

test('corrected values replace read values in incident_times, without changing the stored records', async () => {
  await configured(given)
  const read = { ack_time: start + 5, close_time: start + HOUR }
  await happen([read, read, read])
  expect(
    await rows(
      'select incident_id, incident_severity, time_to_ack_s, time_to_close_s, corrected from incident_times order by all',
    ),
  ).toEqual([
    {
      ...{ incident_id: 'i0', incident_severity: 'Info', time_to_ack_s: 600, time_to_close_s: HOUR },
      corrected: ['ack_time', 'incident_severity'],
    },
    {
      ...{ incident_id: 'i1', incident_severity: 'Critical', time_to_ack_s: null, time_to_close_s: HOUR },
      corrected: ['ack_time'],
    },
    {
      ...{ incident_id: 'i2', incident_severity: 'Critical', time_to_ack_s: 5, time_to_close_s: HOUR },
      corrected: null,
    },
  ])
  expect(await one("select affected, total from data_quality where check_name = 'corrected'")).toEqual({
    affected: 2,
    total: 3,
  })
  expect(await rows('select distinct ack_time, incident_severity from incidents')).toEqual([
    { ack_time: start + 5, incident_severity: 'Critical' },
  ])
  expect(await unknownCorrections(connection(), given)).toEqual(['fixes.csv:gone: unknown incident gone'])
})

test('a corrected close time also changes whether the incident is open', async () => {
  const closings = {
    ...defaultSettings,
    corrections: [
      fix('i0', 'close_time', new Date((start + 300) * 1000).toISOString()),
      fix('i1', 'close_time', ''),
      fix('i2', 'close_time', ''),
      fix('i3', 'ack_time', ''),
    ],
  }
  await configured(closings)
  const closed = { close_time: start + HOUR, progress: 'Closed' }
  await happen([{ progress: 'Triggered' }, closed, { progress: 'Triggered' }, closed])
  expect(
    await rows(
      'select incident_id, progress, is_open, time_to_close_s, is_conflict from incident_times order by incident_id',
    ),
  ).toEqual([
    { incident_id: 'i0', progress: 'Closed', is_open: false, time_to_close_s: 300, is_conflict: false },
    { incident_id: 'i1', progress: 'Processing', is_open: true, time_to_close_s: null, is_conflict: false },
    { incident_id: 'i2', progress: 'Triggered', is_open: true, time_to_close_s: null, is_conflict: false },
    { incident_id: 'i3', progress: 'Closed', is_open: false, time_to_close_s: HOUR, is_conflict: false },
  ])
  expect(await one("select reopened from recurrence() where team_name = '(all)'")).toMatchObject({
    reopened: 0,
  })
})

test('a corrected acknowledgement counts as an acknowledgement by a person', async () => {
  const people = {
    ...defaultSettings,
    automation: [{ kind: 'member' as const, value: '8' }],
    corrections: [
      fix('i0', 'ack_time', new Date((start + 1_800) * 1000).toISOString()),
      fix('i1', 'ack_time', ''),
    ],
  }
  await configured(people)
  const read = { ack_time: start + 60, close_time: start + HOUR, closer_id: 0 }
  await happen([read, read, read])
  await insert('members', [{ member_id: 8, member_name: 'Robot' }])
  await insert(
    'incident_responders',
    ['i0', 'i1', 'i2'].map((incident_id) => ({
      ...{ incident_id, ordinal: 0, person_id: 8, assigned_at: start, acknowledged_at: start + 60 },
    })),
  )
  expect(
    await rows(`select incident_id, seconds, is_acknowledged_by_automation as by_robot
      from policy_times() join incident_automation using (account_id, incident_id)
      where measure = 'time_to_ack' and policy = 'first_action' order by incident_id`),
  ).toEqual([
    { incident_id: 'i0', seconds: 1_800, by_robot: false },
    { incident_id: 'i1', seconds: null, by_robot: false },
    { incident_id: 'i2', seconds: null, by_robot: true },
  ])
})
