import { expect, test } from 'vitest'
import { all, DAY, HOUR, happening, start } from './small-company.ts'

const { happen, one, rows } = happening()

test('an unacknowledged incident misses the acknowledgement target only if it lasts longer than the target', async () => {
  const asOf = start + 10 * DAY
  const healed = (end_time: number, close_time = end_time) => ({ closer_id: 0, end_time, close_time })
  await happen(
    [
      healed(start + 300),
      healed(start + 301),
      // Recovered before it was due, and closed long afterwards.
      healed(start + 120, start + 5 * HOUR),
      // Recovered before the target, and still open.
      { end_time: start + 120 },
      // Closed by a person before it was due, and never acknowledged.
      { close_time: start + 200 },
      // Recovered before it was due, and acknowledged late.
      { ...healed(start + 120), ack_time: start + 400 },
      // Closed at an unknown time.
      { progress: 'Closed' },
    ],
    asOf,
  )
  const found = await rows('select ack_outcome from incident_targets() order by incident_id')
  expect(found.map((row) => row.ack_outcome)).toEqual([
    'ended_early',
    'missed',
    'ended_early',
    'ended_early',
    'ended_early',
    'missed',
    null,
  ])
  expect(await one(`from target_attainment() where ${all} and measure = 'acknowledge'`)).toMatchObject({
    met: 0,
    missed: 2,
    pending: 0,
    ended_early: 4,
    share: 0,
  })
})
