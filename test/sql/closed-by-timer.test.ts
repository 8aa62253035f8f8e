import { expect, test } from 'vitest'
import { all, DAY, HOUR, happening, start } from './small-company.ts'

const { happen, measure, one } = happening()

test('an incident closed by a timer does not count as resolved by people, and is censored when closed', async () => {
  const byHand = { ack_time: start + 60, close_time: start + HOUR }
  const byTimer = { ack_time: start + 60, close_time: start + 7 * DAY, closer_id: 0, end_time: 0 }
  await happen([...Array(40).fill(byHand), ...Array(60).fill(byTimer)])
  expect(await one('select closed::int as closed, open::int as open, median_s from resolve_time()')).toEqual({
    closed: 40,
    open: 0,
    median_s: HOUR,
  })
  expect(await measure('time_to_close_handled')).toMatchObject({ n: 40, median_s: HOUR })
  expect(await measure('time_to_close')).toMatchObject({ n: 100, median_s: 7 * DAY })
  expect(await one('select n::int as n, closed::int as closed, median_s from survival_summary()')).toEqual({
    n: 100,
    closed: 40,
    median_s: null,
  })
  expect(
    await one(`select n::int as n, median_s from definition_sensitivity() where policy = 'closed_by_timer'`),
  ).toEqual({ n: 60, median_s: 7 * DAY })
})

test('an incident that a timer closed before the target neither meets nor misses the target', async () => {
  const closed = (after: number, closer_id: number) => ({
    ack_time: start + 60,
    close_time: start + after,
    closer_id,
  })
  await happen([closed(HOUR, 1), closed(HOUR, 0), closed(5 * HOUR, 0)])
  expect(await one(`from target_attainment() where ${all} and measure = 'resolve'`)).toMatchObject({
    met: 1,
    missed: 1,
    ended_early: 1,
    share: 1 / 2,
  })
})
