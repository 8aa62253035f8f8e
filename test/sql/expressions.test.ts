import { describe, expect, test } from 'vitest'
import { defaultSettings } from '../../src/settings/settings.ts'
import { DAY, HOUR, happening, start } from './small-company.ts'

const { happen, insert, rows, settings } = happening()

const at = (text: string) => `timestamptz '2026-01-01 ${text}:00+00'`

test.each([
  ['a range includes its first moment', `is_within(${at('10:00')}, ${at('10:00')}, ${at('11:00')})`, true],
  ['a range excludes its last moment', `is_within(${at('11:00')}, ${at('10:00')}, ${at('11:00')})`, false],
  ['a range without ends contains everything', `is_within(${at('11:00')}, null, null)`, true],
  ['a range contains nothing before its start', `is_within(${at('09:59')}, ${at('10:00')}, null)`, false],
  ['open time excludes closed time', 'open_s(600, 100)', 500],
  ['open time is never negative', 'open_s(600, 700)', 0],
  ['open time without a reopening is the whole time', 'open_s(600, null)', 600],
  [
    'an acknowledgement is timed from the start',
    `seconds_to_answer(${at('10:00')}, ${at('10:05')}, false)`,
    300,
  ],
  [
    'an acknowledgement in the same second as the start takes 0 s',
    `seconds_to_answer(${at('10:00')}, ${at('10:00')}, false)`,
    0,
  ],
  [
    'the time of an acknowledgement before the start is null',
    `seconds_to_answer(${at('10:00')}, ${at('09:59')}, false)`,
    null,
  ],
  [
    'the time of an acknowledgement of a muted incident is null',
    `seconds_to_answer(${at('10:00')}, ${at('10:05')}, true)`,
    null,
  ],
  ['the log ratio of two zeros is 0', 'log_ratio(0, 0)', 0],
  ['the log ratio over 0 is infinite', 'log_ratio(5, 0)', Number.POSITIVE_INFINITY],
  ['the log ratio of a shorter time is 0', 'log_ratio(2, 4)', 0],
  ['the log ratio of twice the time is ln 2', 'log_ratio(4, 2)', Math.LN2],
  ['effective n without dispersion is n', 'effective_n(100, null)', 100],
  ['effective n of under-dispersed weeks is n', "effective_n(100, {'phi': 0.5e0, 'df': 1e9})", 100],
])('%s', async (_, expression, value) => {
  const [found] = await rows(`select ${expression} as found`)
  expect(found!.found).toBe(value)
})

test('effective n decreases with more dispersion or fewer degrees of freedom', async () => {
  // scipy 1.17: stats.t.ppf(.975, 12) and stats.norm.ppf(.975).
  const [found] = await rows("select effective_n(100, {'phi': 4e0, 'df': 12e0}) as n")
  expect(found!.n).toBeCloseTo(100 / (4 * (2.178813 / 1.959964) ** 2), 2)
})

describe('dispersion ignores', () => {
  const counts = (...weeks: number[]) => `[${weeks.map((n) => `{'n': ${n}, 'days': 7e0}`).join(', ')}]`
  const shares = (...weeks: [number, number][]) =>
    `[${weeks.map(([hits, n]) => `{'hits': ${hits}e0, 'n': ${n}e0}`).join(', ')}]`
  const phi = async (expression: string) => (await rows(`select (${expression}).phi as phi`))[0]!.phi

  test('a series whose counts are all zero', async () => {
    const varied = counts(1, 20, 3, 30, 9)
    expect(await phi(`count_dispersion([${counts(0, 0, 0, 0, 0)}, ${varied}], of_change := false)`)).toBe(
      await phi(`count_dispersion([${varied}], of_change := false)`),
    )
  })

  test('a week without trials', async () => {
    const varied = shares([1, 20], [19, 20], [2, 20], [18, 20])
    expect(
      await phi(
        `share_dispersion([${shares([1, 20], [19, 20], [0, 0], [2, 20], [18, 20])}], of_change := false)`,
      ),
    ).toBe(await phi(`share_dispersion([${varied}], of_change := false)`))
  })
})

test('the metric `automation` returns no rows if no automation is configured', async () => {
  await happen([{ ack_time: start + 1, close_time: start + 2, end_time: start + 1, closer_id: 8 }])
  expect([await rows('from automation()'), await rows('from incident_automation')]).toEqual([[], []])
})

describe('in hand-computed examples,', () => {
  test('age buckets of open incidents exclude their upper bound', async () => {
    const ages = [0, HOUR - 1, HOUR, DAY - 1, DAY, 7 * DAY - 1, 7 * DAY]
    await happen(ages.map((age) => ({ start_time: start + 30 * DAY - age })))
    const found = await rows('select age_bucket from open_incidents order by age_s')
    expect(found.map(({ age_bucket }) => age_bucket)).toEqual([
      ...['<1 h', '<1 h', '<1 d', '<1 d', '<7 d', '<7 d', 'older'],
    ])
  })

  test('a time to acknowledge of 0 s is counted in a separate bucket', async () => {
    await happen([{ ack_time: start, close_time: start + 1 }, { ack_time: start + 3 }])
    const found = await rows(
      `select b.low, b.high from (select duration_bucket(time_to_ack_s) as b from incident_times) order by 1`,
    )
    expect(found).toEqual([
      { low: 0, high: 0 },
      { low: expect.closeTo(2 * Math.SQRT2, 9), high: expect.closeTo(4, 9) },
    ])
  })

  test('every assignment counts as a page, but an acknowledgement alone does not', async () => {
    await happen([{}])
    await insert('incident_responders', [
      { incident_id: 'i0', ordinal: 0, person_id: 1, assigned_at: start + 60 },
      { incident_id: 'i0', ordinal: 1, person_id: 1, assigned_at: start + 2 * HOUR },
      { incident_id: 'i0', ordinal: 2, person_id: 2, acknowledged_at: start + 120 },
    ])
    expect(await rows('select person_id, pages from incident_people order by person_id')).toEqual([
      { person_id: 1, pages: 2 },
      { person_id: 2, pages: 0 },
    ])
  })

  test('every second is working time if no hours apply, and a target with unknown hours is never due', async () => {
    await happen([])
    await settings(defaultSettings)
    const spans = `with spans as (select ${at('10:00')} as from_at, ${at('10:05')} as to_at, null::varchar as hours, 'UTC' as timezone)`
    expect(await rows(`${spans} select working_s from working_seconds(of_spans := 'spans')`)).toEqual([
      { working_s: 300 },
    ])
    const clocks = `with clocks as (select ${at('10:00')} as from_at, 60 as target_s, 'none' as hours, 'UTC' as timezone)`
    expect(await rows(`${clocks} select due_s from working_due(of_clocks := 'clocks')`)).toEqual([
      { due_s: null },
    ])
  })
})
