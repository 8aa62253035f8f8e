import { expect, test } from 'vitest'
import { asOf, DAY, HOUR, happening, start } from './small-company.ts'

const { happen, insert, one, rows } = happening()
const WEEK = 7 * DAY
const read = (from: number, to: number) => ({
  run_id: 1,
  resource: 'incidents',
  state: 'done',
  window_start: from,
  window_end: to,
})
const hourly = (weeks: number) =>
  Array.from({ length: weeks * 7 * 24 }, (_, hour) => ({
    start_time: start + hour * HOUR,
    ack_time: start + hour * HOUR + 60,
    close_time: start + hour * HOUR + 600,
  }))

test('the expected range excludes weeks that were not read completely', async () => {
  await happen(hourly(8), start + 8 * WEEK)
  // The first half of the second week and the last day of the fifth week were not read.
  await insert('sync_windows', [
    read(start, start + WEEK),
    read(start + 1.5 * WEEK, start + 5 * WEEK - DAY),
    read(start + 5 * WEEK, start + 8 * WEEK),
    { ...read(start + WEEK, start + 2 * WEEK), state: 'unproven' },
  ])
  const weeks = await rows(
    `select is_partial, points from weekly_usual_range() where measure = 'incidents' order by week`,
  )
  expect(weeks.slice(0, 8).map(({ is_partial }) => is_partial)).toEqual([
    false,
    true,
    false,
    false,
    true,
    false,
    false,
    false,
  ])
  expect(weeks[0]).toMatchObject({ points: 6 })
  expect(await one('select count(*)::int as n from unread_within()')).toEqual({ n: 2 })
})

test('every week counts as read if no sync windows are recorded', async () => {
  await happen(hourly(2), start + 2 * WEEK)
  expect(await rows('from unread_within()')).toEqual([])
  expect(
    (
      await rows(`select is_partial from weekly_usual_range() where measure = 'incidents' order by week`)
    ).slice(0, 2),
  ).toEqual([{ is_partial: false }, { is_partial: false }])
})

test('unread periods are computed separately for each account', async () => {
  await happen([{}], asOf)
  await insert('sync_windows', [
    { ...read(start, asOf), account_id: 1 },
    { ...read(start + DAY, asOf), account_id: 2 },
  ])
  const found = await rows(`select account_id::int as account_id, epoch(gap_from)::bigint as gap_from,
    epoch(gap_to)::bigint as gap_to from unread_within(period_from := to_timestamp(${start}), period_to := to_timestamp(${asOf}))`)
  expect(found.map(Object.values)).toEqual([[2, start, start + DAY]])
})
