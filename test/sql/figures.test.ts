import { beforeEach, describe, expect, test } from 'vitest'
import { createSettings } from '../../src/definitions/settings-tables.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { empty, insert } from '../support/tables.ts'
import { defined } from './defined.ts'

const { connection, rows, value } = defined()
beforeEach(() => empty(connection()))
const start = 1_700_000_000
const closedAfter = (seconds: number, more: object = {}) => ({
  incident_id: `after-${seconds}`,
  start_time: start,
  close_time: start + seconds,
  closer_id: 1,
  progress: 'Closed',
  incident_severity: 'Critical',
  ...more,
})
const openAfter = (seconds: number) => ({
  incident_id: `open-${seconds}`,
  start_time: start + 1000 - seconds,
  progress: 'Processing',
  incident_severity: 'Critical',
})
const asOf = { run_id: 1, status: 'ok', finished_at: start + 1010, as_of_at: start + 1000 }

describe('with hand-computed times and rates,', () => {
  test('p90 requires ten incidents, and is 91 for 10, 20, … 100', async () => {
    await insert(
      connection(),
      'incidents',
      Array.from({ length: 10 }, (_, i) => closedAfter((i + 1) * 10)),
    )
    const [row] = await rows(`from time_measures() where measure = 'time_to_close_handled'`)
    expect(row).toMatchObject({ n: 10, median_s: 55, p90_s: expect.closeTo(91, 9) })
  })
})

describe('the survival curve', () => {
  /**
   * Six incidents, closed after 10, 20, 20 and 50 s, open for 20 and 60 s.
   * 10 s: 6 at risk, 1 closed → 5/6. 20 s: 5 at risk, 2 closed, 1 censored → 5/6 · 3/5 = 1/2.
   * 50 s: 2 at risk, 1 closed → 1/4. 60 s: 1 at risk, 1 censored → 1/4.
   */
  test('equals the hand-computed Kaplan-Meier curve of six incidents', async () => {
    await insert(connection(), 'sync_runs', [asOf])
    await insert(connection(), 'incidents', [
      closedAfter(10),
      closedAfter(20),
      closedAfter(20, { incident_id: 'again-20' }),
      openAfter(20),
      closedAfter(50),
      openAfter(60),
    ])
    expect(
      await rows('select * exclude (survival_low, survival_high) from survival_curve() order by t_s'),
    ).toEqual([
      { t_s: 10, at_risk: 6, closed: 1, censored: 0, survival: expect.closeTo(5 / 6, 12) },
      { t_s: 20, at_risk: 5, closed: 2, censored: 1, survival: expect.closeTo(1 / 2, 12) },
      { t_s: 50, at_risk: 2, closed: 1, censored: 0, survival: expect.closeTo(1 / 4, 12) },
      { t_s: 60, at_risk: 1, closed: 0, censored: 1, survival: expect.closeTo(1 / 4, 12) },
    ])
    expect(await rows('from survival_summary()')).toEqual([
      {
        ...{ n: 6, closed: 4, censored: 2, median_s: 20, median_low_s: 10, median_high_s: null },
        ...{ survival_1h: null, survival_24h: null },
      },
    ])
    expect(await rows(`from survival_summary(of_severity := 'Info')`)).toMatchObject([{ n: 0 }])
    expect(await rows(`from survival_summary(started_to := to_timestamp(${start + 1}))`)).toMatchObject([
      { n: 4, survival_1h: 0, survival_24h: 0 },
    ])
    expect(await rows(`from survival_summary(started_from := to_timestamp(${start + 1}))`)).toMatchObject([
      { n: 2, median_s: null },
    ])
  })

  test('has no median if the curve ends above one half', async () => {
    await insert(connection(), 'sync_runs', [asOf])
    await insert(connection(), 'incidents', [closedAfter(10), openAfter(20), openAfter(30)])
    expect(await rows('from survival_summary()')).toMatchObject([{ n: 3, median_s: null }])
  })
})

describe('with hand-computed days, pages and hours,', () => {
  test('a day in incident_counts is partial until the data covers its last second', async () => {
    const midnight = Date.UTC(2024, 1, 29) / 1000
    await insert(connection(), 'sync_runs', [{ ...asOf, as_of_at: midnight }])
    await insert(connection(), 'incidents', [closedAfter(10, { start_time: midnight - 2 * 86_400 })])
    const days = `select bucket_start as day, incidents, share, is_partial from incident_counts(bucket := 'day')
      where incident_severity = 'Critical' order by day`
    expect(await rows(days)).toEqual([
      { day: midnight - 2 * 86_400, incidents: 1, share: 1, is_partial: false },
      { day: midnight - 86_400, incidents: 0, share: null, is_partial: false },
      { day: midnight, incidents: 0, share: null, is_partial: true },
    ])
    expect(await value(`(select count(*) from incident_counts(bucket := 'day'))`)).toBe(15)
  })

  test('assignments up to 60 s apart are one page, and a gap of 61 s starts the next page', async () => {
    await insert(connection(), 'incidents', [closedAfter(10), closedAfter(20)])
    const assigned = (seconds: number, incident: number) => ({
      incident_id: `after-${incident}`,
      ordinal: seconds,
      person_id: 7,
      assigned_at: start + seconds,
    })
    await insert(connection(), 'incident_responders', [
      assigned(0, 10),
      assigned(60, 20),
      assigned(120, 10),
      assigned(181, 20),
    ])
    expect(
      await rows(`select paged_at, assignments, incidents from pages_within() order by paged_at`),
    ).toEqual([
      { paged_at: start, assignments: 3, incidents: 2 },
      { paged_at: start + 181, assignments: 1, incidents: 1 },
    ])
  })

  test.each([
    ['2024-01-01 07:59', 'sleep'], // a Monday
    ['2024-01-01 08:00', 'work'],
    ['2024-01-01 18:59', 'work'],
    ['2024-01-01 19:00', 'off'],
    ['2024-01-01 22:59', 'off'],
    ['2024-01-01 23:00', 'sleep'],
    ['2024-01-06 12:00', 'off'], // a Saturday
    ['2024-01-07 03:00', 'sleep'],
  ])('%s is in the hour band %s', async (at, band) => {
    expect(await value(`hour_band(timestamp '${at}')`)).toBe(band)
  })

  test('an hour is in the band with the lowest rank, but never in `work` on a holiday', async () => {
    await createSettings(connection(), {
      ...defaultSettings,
      bands: [
        { band: 'work', weekdays: [1], from_hour: 6, to_hour: 10, rank: 1 },
        { band: 'sleep', weekdays: [1, 2], from_hour: 0, to_hour: 7, rank: 2 },
        { band: 'off', weekdays: [1, 2], from_hour: 0, to_hour: 24, rank: 3 },
      ],
      holidays: [{ day: '2024-01-08', name: 'Holiday' }],
    })
    const band = (at: string) => value(`hour_band(timestamp '${at}')`)
    expect(await band('2024-01-01 06:30')).toBe('work')
    expect(await band('2024-01-08 06:30')).toBe('sleep')
    expect(await band('2024-01-08 09:30')).toBe('off')
    expect(await band('2024-01-02 06:30')).toBe('sleep')
    expect(await band('2024-01-03 06:30')).toBeNull()
    expect(await value('hour_band(null::timestamp)')).toBeNull()
  })
})
