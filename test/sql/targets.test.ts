import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import { all, asOf, DAY, HOUR, happening, start } from './small-company.ts'

const { happen, earlier, one, rows, settings } = happening()

// Critical: acknowledged within 300 s, resolved within 4 h. Warning: 900 s, 24 h. Raised after a day.
const raised = start + DAY
const outcome = () =>
  one(`select ack_severity, ack_raised_s, ack_outcome, resolve_severity, resolve_raised_s, resolve_outcome
    from incident_targets() where incident_id = 'i0'`)
const attained = (severity: string) =>
  rows(`select measure, met, missed, pending from target_attainment()
     where incident_severity = '${severity}' and team_name = '(all)' order by measure`)
const acknowledged = {
  ack_time: raised + 200,
  close_time: raised + 3 * HOUR,
  updated_at: raised + 3 * HOUR,
}

test('a target is met at its last second, missed after it, pending while there is time', async () => {
  const asOf = start + 10 * DAY
  // Critical: acknowledged within 300 s, resolved within 4 h.
  await happen(
    [
      { ack_time: start + 300, close_time: start + 4 * HOUR },
      { ack_time: start + 301, close_time: start + 4 * HOUR + 1 },
      { start_time: asOf - 300 },
      { start_time: asOf - 301 },
      { close_time: start + 10, closer_id: 0, end_time: start + 5 },
      { ack_time: start + 1, close_time: start + 2, ever_muted: true },
      { ack_time: start + 1, close_time: start + 2, incident_severity: 'Ok' },
    ],
    asOf,
  )
  const found = await rows('select ack_outcome, resolve_outcome from incident_targets() order by incident_id')
  expect(found.map((row) => [row.ack_outcome, row.resolve_outcome])).toEqual([
    ['met', 'met'],
    ['missed', 'missed'],
    ['pending', 'pending'],
    ['missed', 'pending'],
    ['ended_early', 'met'],
    [null, null],
    [null, null],
  ])
  expect(await one(`from target_attainment() where ${all} and measure = 'acknowledge'`)).toMatchObject({
    met: 1,
    missed: 2,
    pending: 1,
    ended_early: 1,
    share: 1 / 3,
    goal: 0.9,
  })
  expect(
    await one(`from target_attainment() where incident_severity = 'Critical' and measure = 'resolve'`),
  ).toMatchObject({ share: 2 / 3, goal: 0.9, is_goal_met: false })
})

describe('a target goes by the severity that was valid at the moment', () => {
  test('and counts from its raise when two reads saw it', async () => {
    await happen([acknowledged])
    await earlier(
      { incident_severity: 'Info', updated_at: start },
      { incident_severity: 'Critical', updated_at: raised },
    )
    expect(await outcome()).toEqual({
      ack_raised_s: DAY,
      resolve_raised_s: DAY,
      ack_severity: 'Critical',
      ack_outcome: 'met',
      resolve_severity: 'Critical',
      resolve_outcome: 'met',
    })
  })

  test('from the start where nothing was seen', async () => {
    await happen([acknowledged])
    expect(await outcome()).toMatchObject({
      ack_raised_s: null,
      ack_outcome: 'missed',
      resolve_outcome: 'missed',
    })
  })

  test('and from the start where it fell: who was late as Critical is not in time as Warning', async () => {
    await happen([{ ...acknowledged, incident_severity: 'Warning', ack_time: start + 600 }])
    await earlier({ incident_severity: 'Critical', updated_at: raised })
    expect(await outcome()).toMatchObject({
      ack_raised_s: null,
      ack_severity: 'Critical',
      ack_outcome: 'missed',
    })
    expect(await attained('Critical')).toContainEqual({
      measure: 'acknowledge',
      met: 0,
      missed: 1,
      pending: 0,
    })
  })

  test('open ones are pending until then', async () => {
    await happen([{ updated_at: asOf - 200 }])
    await earlier({ incident_severity: 'Warning', updated_at: start })
    expect(await outcome()).toMatchObject({
      ack_raised_s: asOf - 200 - start,
      ack_outcome: 'pending',
      resolve_outcome: 'pending',
    })
  })
})

describe('what was rated anew', () => {
  test('a closed Warning, acknowledged after 47 min, stays missed when a review makes it Critical', async () => {
    const reviewed = start + 16 * DAY
    await happen([{ ack_time: start + 47 * 60, close_time: start + 2 * HOUR, updated_at: reviewed }])
    await earlier({
      incident_severity: 'Warning',
      ack_time: start + 47 * 60,
      progress: 'Closed',
      close_time: start + 2 * HOUR,
      updated_at: start + 2 * HOUR,
    })
    expect(await outcome()).toEqual({
      ack_severity: 'Warning',
      ack_raised_s: null,
      ack_outcome: 'missed',
      resolve_severity: 'Warning',
      resolve_raised_s: null,
      resolve_outcome: 'met',
    })
    expect(await attained('Critical')).toEqual([])
    expect(await attained('Warning')).toEqual([
      { measure: 'acknowledge', met: 0, missed: 1, pending: 0 },
      { measure: 'resolve', met: 1, missed: 0, pending: 0 },
    ])
  })

  test('raised between acknowledgement and close, each goes by its own', async () => {
    await happen([{ ack_time: start + 600, close_time: raised + 5 * HOUR, updated_at: raised + 5 * HOUR }])
    await earlier(
      { incident_severity: 'Warning', updated_at: start + 600 },
      { incident_severity: 'Critical', updated_at: raised },
    )
    expect(await outcome()).toEqual({
      ack_severity: 'Warning',
      ack_raised_s: null,
      ack_outcome: 'met',
      resolve_severity: 'Critical',
      resolve_raised_s: DAY,
      resolve_outcome: 'missed',
    })
  })

  test('a raise that the close first shows was not before it', async () => {
    await happen([{ ack_time: start + 60, close_time: start + 5 * HOUR, updated_at: start + 5 * HOUR }])
    await earlier({ incident_severity: 'Warning', ack_time: start + 60, updated_at: start + 60 })
    expect(await outcome()).toMatchObject({
      resolve_severity: 'Warning',
      resolve_raised_s: null,
      resolve_outcome: 'met',
    })
  })

  test('raised twice, and lowered in between, the last raise before the moment counts', async () => {
    await happen([{ ack_time: raised + 2 * HOUR, updated_at: raised + 9 * HOUR }])
    await earlier(
      { incident_severity: 'Info', updated_at: start },
      { incident_severity: 'Critical', updated_at: start + HOUR },
      { incident_severity: 'Info', updated_at: start + 2 * HOUR },
      { incident_severity: 'Warning', updated_at: raised },
    )
    expect(await outcome()).toMatchObject({
      ack_severity: 'Warning',
      ack_raised_s: DAY,
      ack_outcome: 'missed',
      resolve_severity: 'Critical',
      resolve_raised_s: DAY + 9 * HOUR,
    })
  })
})

describe('targets of one’s own', () => {
  const asked = {
    defaults: false,
    Critical: { ack: '10m', ackGoal: 0.8 },
    teams: { Payments: { Critical: { ack: '5m' }, Info: { resolve: '1h', resolveGoal: 0.5 } } },
    dimensions: {
      service: { checkout: { Critical: { ack: '2m', ackGoal: 0.9 } } },
      region: { eu: { Critical: { ack: '1m' } }, us: { Critical: { ack: null } } },
    },
  }
  const reporting = { dimensions: { service: 'label.service', region: 'label.region' }, targets: asked }
  const given = settingsOf(readConfig(JSON.stringify({ reporting }), 'c.json').data.reporting)
  /** Incidents of teams and places, by what is asked of the first acknowledgement. */
  const of = (columns: string, name: string) => `with places (incident_id, team, service, region) as (values
      ('i0', 'Search', null, null), ('i1', 'Payments', null, null), ('i2', 'Payments', 'checkout', 'asia'),
      ('i3', 'Payments', 'checkout', 'eu'), ('i4', 'Payments', '(none)', 'us')),
    mine as (
      select times.* replace (team as team_name, map {'service': service, 'region': region} as dimensions)
      from incident_times times join places using (incident_id)
    ) select ${columns} from ${name}(of_incidents := 'mine')`

  test('of a dimension go before those of the team, which go before those of the severity', async () => {
    await happen(Array.from({ length: 5 }, () => ({ ack_time: start + 130, close_time: start + 4000 })))
    await settings(given)
    const found = await rows(
      `${of('ack_target_s, ack_goal, ack_outcome', 'incident_targets')} order by incident_id`,
    )
    expect(found.map((row) => [row.ack_target_s, row.ack_goal, row.ack_outcome])).toEqual([
      [600, 0.8, 'met'],
      [300, 0.8, 'met'],
      // The service stands before the region.
      [120, 0.9, 'missed'],
      [120, 0.9, 'missed'],
      [null, 0.8, null],
    ])
  })
  test('that differ are told as none, and their goals as the mean', async () => {
    await happen(Array.from({ length: 4 }, () => ({ ack_time: start + 130, close_time: start + 4000 })))
    await settings(given)
    const found = await rows(
      `${of('team_name, met, missed, target_s, goal, is_default', 'target_attainment')} where measure = 'acknowledge'
       and incident_severity = 'Critical' order by team_name`,
    )
    expect(found).toEqual([
      expect.objectContaining({ team_name: '(all)', met: 2, missed: 2, target_s: null, is_default: false }),
      expect.objectContaining({ team_name: 'Payments', met: 1, missed: 2, target_s: null }),
      expect.objectContaining({ team_name: 'Search', met: 1, missed: 0, target_s: 600, goal: 0.8 }),
    ])
    expect(found[0]!.goal).toBeCloseTo(0.85, 12)
  })
  test('of working hours are over when so much of them is, by the clock of the team', async () => {
    const friday = start + 4 * DAY + 16 * HOUR
    await happen([
      { start_time: friday, ack_time: friday + 3 * DAY, close_time: friday + 3 * DAY },
      { start_time: friday, ack_time: friday + 3 * DAY - 7 * HOUR, close_time: friday + 3 * DAY - HOUR },
      { start_time: friday },
    ])
    const reporting = {
      workingHours: { office: { from: 9, to: '17:00' } },
      teamZones: { '(unknown)': 'Europe/Lisbon' },
      targets: { Critical: { ack: '1h', resolve: '8h', workingHours: 'office' } },
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
