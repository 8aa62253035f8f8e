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
const asOf = { run_id: 1, status: 'ok', finished_at: start + 1010, as_of_at: start + 1000 }

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
