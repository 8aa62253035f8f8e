import { expect, test } from 'vitest'
import { withObjectives } from '../support/objectives.ts'
import { all, DAY, HOUR, happening, start } from './small-company.ts'

const { happen, one, rows, settings } = happening()

// Targets to acknowledge and resolve: 300 s and 4 h for Critical, 900 s and 24 h for Warning.
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
