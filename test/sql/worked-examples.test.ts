import { describe, expect, test } from 'vitest'
import { all, DAY, HOUR, happening, start } from './small-company.ts'

const { happen, insert, one, rows } = happening()

describe('the closing of an incident', () => {
  test('in the same second as the start is counted as 0 s', async () => {
    const at = { ack_time: start, end_time: start, close_time: start }
    await happen([at])
    const times =
      'time_to_ack_s, time_to_close_s, time_to_resolve_s, time_to_recover_s, hands_on_s, close_lag_s, survival_s'
    const [found] = await rows(`select ${times} from incident_times`)
    expect(new Set(Object.values(found!))).toEqual(new Set([0]))
    expect(await rows('select * from incident_times where is_negative_ack or is_negative_close')).toEqual([])
  })

  test('between the start and a reopening is counted as the first closing', async () => {
    const first = (closed: string, of: string) =>
      `first_close_s(${closed}, timestamptz '2026-01-01 00:00:00+00', timestamptz '2026-01-01 00:0${of}+00')`
    const asked = [first('600', '1:00'), first('30', '1:00'), first('null', '1:00'), first('600', '0:00')]
    expect(await rows(`select unnest([${asked.join(', ')}])::double as s`)).toEqual([
      { s: 60 },
      { s: 30 },
      { s: null },
      { s: 0 },
    ])
    const [{ s } = {}] = await rows(
      `select ${first('600', '1:00').replace('2026-01-01 00:01', '2025-12-31 23:59')} as s`,
    )
    expect(s).toBe(600)
  })
})

test('hand-computed response times are compared with those of the previous period, which has the same length', async () => {
  const at = (week: number, seconds: number) =>
    [0, 1, 2, 3].map((hour) => {
      const start_time = start + 7 * DAY * week + 3_600 * hour
      return { start_time, close_time: start_time + seconds + hour }
    })
  const weeks = (first: number, seconds: number) => [0, 1, 2].flatMap((week) => at(first + week, seconds))
  const call = () =>
    one(
      `from time_changes(period_from := to_timestamp(${start + 21 * DAY}), period_to := to_timestamp(${start + 42 * DAY}))
      where ${all} and measure = 'time_to_close'`,
    )
  await happen([...weeks(0, 900), ...weeks(3, 90)], start + 60 * DAY)
  expect(await call()).toMatchObject({ n: 12, n_before: 12, verdict: 'faster' })
  await happen([...weeks(0, 900), ...weeks(3, 900)], start + 60 * DAY)
  expect(await call()).toMatchObject({ verdict: 'about the same' })
  await happen([...at(0, 900), ...at(3, 90)], start + 60 * DAY)
  expect(await call()).toMatchObject({ verdict: 'too few to compare' })
})

test('the metric self_heal can be limited to a custom selection of incidents', async () => {
  await happen([{ close_time: start + 5 }, { close_time: start + 5, incident_severity: 'Info' }])
  expect(
    await one(
      `with population as (from incident_times where incident_severity = 'Info')
        select incidents from self_heal(of_incidents := 'population') where ${all}`,
    ),
  ).toEqual({ incidents: 1 })
})

describe('recurrence in hand-computed examples', () => {
  test('includes an incident with the same key within 7 days of the closing, but not a second later', async () => {
    const closed = start + HOUR
    const at = (start_time: number, more: object = {}) => ({ dedup_key: 'disk', start_time, ...more })
    await happen([
      at(start, { close_time: closed }),
      at(closed + 7 * DAY),
      at(closed + 7 * DAY + 1),
      at(closed),
      { start_time: closed + 1 },
    ])
    expect(await rows('select incident_id from repeats_of() where is_repeat')).toEqual([
      { incident_id: 'i1' },
    ])
    expect(await one(`from recurrence() where ${all}`)).toMatchObject({
      incidents: 5,
      with_key: 4,
      repeats: 1,
    })
  })
})

test('local weeks begin on a Monday at midnight in any time zone', async () => {
  const noon = (date: string) => Date.parse(`${date}T12:00:00Z`) / 1000
  await happen([{ start_time: noon('2024-02-29') }], noon('2024-04-30'))
  for (const zone of ['Pacific/Apia', 'Pacific/Marquesas', 'Asia/Kathmandu', 'UTC', 'America/St_Johns']) {
    const wrong = await rows(`from incident_counts(zone := '${zone}') where isodow(bucket_start) <> 1
      or starts_at at time zone '${zone}' <> bucket_start::timestamp`)
    expect(wrong, zone).toEqual([])
  }
})

test('the view `runs` shows the current account name, and an unfinished run as interrupted', async () => {
  await insert('accounts', [{ account_id: 1, name: 'Europe' }])
  await insert('sync_runs', [
    { run_id: 1, account_name: 'EMEA', status: 'ok', finished_at: start },
    { run_id: 2, account_name: 'Europe', status: 'running' },
    { run_id: 3, account_id: 2, status: 'failed' },
  ])
  const runs = await rows('select account, recency, status from runs order by run_id')
  expect(runs).toEqual([
    { account: 'Europe', recency: 2, status: 'ok' },
    { account: 'Europe', recency: 1, status: 'interrupted' },
    { account: '2', recency: 1, status: 'failed' },
  ])
})
