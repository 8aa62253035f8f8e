import { describe, expect, test } from 'vitest'
import { withObjectives } from '../support/objectives.ts'
import { all, asOf, DAY, HOUR, happening, start } from './small-company.ts'

const { happen, earlier, one, rows, settings } = happening()

// Targets to acknowledge and resolve: 300 s and 4 h for Critical, 900 s and 24 h for Warning.
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

test('a target is met until its last second, and missed one second later', async () => {
  const asOf = start + 10 * DAY
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
  await settings(withObjectives)
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

describe('a target', () => {
  test('runs from the time the severity was raised, even if that was between two reads', async () => {
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

  test('runs from the start of the incident even if the severity drops later', async () => {
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

  test('is pending while an open incident is not yet due', async () => {
    await happen([{ updated_at: asOf - 200 }])
    await earlier({ incident_severity: 'Warning', updated_at: start })
    expect(await outcome()).toMatchObject({
      ack_raised_s: asOf - 200 - start,
      ack_outcome: 'pending',
      resolve_outcome: 'pending',
    })
  })
})

describe('a change of severity', () => {
  test('does not affect the resolve target if it was first seen together with the closing', async () => {
    await happen([{ ack_time: start + 60, close_time: start + 5 * HOUR, updated_at: start + 5 * HOUR }])
    await earlier({ incident_severity: 'Warning', ack_time: start + 60, updated_at: start + 60 })
    expect(await outcome()).toMatchObject({
      resolve_severity: 'Warning',
      resolve_raised_s: null,
      resolve_outcome: 'met',
    })
  })

  test('starts the acknowledgement target if it is the last increase before the acknowledgement', async () => {
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
