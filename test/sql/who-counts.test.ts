import { describe, expect, test } from 'vitest'
import { all, happening, start } from './small-company.ts'

const { happen, measure, one, rows } = happening()

describe('an incident merged into another incident', () => {
  test.each([
    ['by the system', 0],
    ['by a person', 7],
  ])('%s counts only in data_quality', async (_, closer_id) => {
    await happen([
      { ack_time: start + 60, close_time: start + 600 },
      { ack_time: start + 1, close_time: start + 2, alert_cnt: 0, closer_id },
    ])
    expect(
      await one(`select sum(incidents) as n from incident_counts() where incident_severity = '(all)'`),
    ).toEqual({ n: 1 })
    for (const name of ['time_to_ack', 'time_to_close_handled', 'time_to_close'])
      expect(await measure(name)).toMatchObject({ incidents: 1, n: 1 })
    expect(await one('from survival_summary()')).toMatchObject({ n: 1, median_s: 600 })
    expect(
      await one(`select met + missed as n from target_attainment() where ${all} and measure = 'resolve'`),
    ).toEqual({ n: 1 })
    expect(await one(`select affected, total from data_quality where check_name = 'merged_away'`)).toEqual({
      affected: 1,
      total: 2,
    })
  })

  test('is recognized only if the system created it and it is closed', async () => {
    await happen([{ close_time: start + 60, creator_id: 7, alert_cnt: 0 }, { alert_cnt: 0 }])
    expect(await one('select count(*) as n from incident_times')).toEqual({ n: 2 })
  })
})

describe('a muted incident', () => {
  const muted = { ack_time: start + 10, close_time: start + 20, ever_muted: true }

  test('counts in the volume and in a separate measure, but not in headline times', async () => {
    await happen([{ ack_time: start + 60, close_time: start + 600 }, muted, { ever_muted: true }])
    expect(
      await one(`select sum(incidents) as n from incident_counts() where incident_severity = '(all)'`),
    ).toEqual({ n: 3 })
    expect(await measure('time_to_ack')).toMatchObject({ incidents: 1, median_s: 60 })
    expect(await measure('time_to_close_handled')).toMatchObject({ incidents: 1, median_s: 600 })
    expect(await measure('time_to_close_muted')).toMatchObject({ incidents: 2, n: 1, median_s: 20 })
    expect(
      await one(`select n from definition_sensitivity() where is_chosen and measure = 'time_to_resolve'`),
    ).toEqual({ n: 1 })
  })

  test('is excluded from the survival curve unless a curve of muted incidents is requested', async () => {
    await happen([{ close_time: start + 600 }, muted, { ...muted, close_time: start + 30 }])
    expect(await one('from survival_summary()')).toMatchObject({ n: 1, median_s: 600 })
    expect(await one('from survival_summary(of_muted := true)')).toMatchObject({ n: 2, median_s: 20 })
  })
})

test('a time to acknowledge of 0 s is counted in a separate bucket', async () => {
  await happen([{ ack_time: start, close_time: start + 1 }, { ack_time: start + 3 }])
  expect(await measure('time_to_ack')).toMatchObject({ n: 2, mean_s: 1.5 })
  expect(
    await rows(
      `select b.low, b.high from (select duration_bucket(time_to_ack_s) as b from incident_times) order by 1`,
    ),
  ).toEqual([
    { low: 0, high: 0 },
    { low: expect.closeTo(2 * Math.SQRT2, 9), high: expect.closeTo(4, 9) },
  ])
})

test('an incident closed before its acknowledgement is flagged, and both of its times are counted', async () => {
  await happen([
    { ack_time: start + 100, close_time: start + 50 },
    { ack_time: start + 1, close_time: start + 50 },
  ])
  expect(await rows('select is_closed_before_ack as flag from incident_times order by incident_id')).toEqual([
    { flag: true },
    { flag: false },
  ])
  expect(await measure('time_to_ack')).toMatchObject({ n: 2, max_s: 100 })
  expect(await measure('time_to_close_handled')).toMatchObject({ n: 2, max_s: 50 })
  expect(await one(`select affected from data_quality where check_name = 'closed_before_ack'`)).toEqual({
    affected: 1,
  })
})
