import { describe, expect, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import { DAY, HOUR, happening, start } from './happening.ts'

const { happen, insert, rows, settings } = happening()

const at = (text: string) => `timestamptz '2026-01-01 ${text}:00+00'`

test.each([
  ['a range begins with its first moment', `is_within(${at('10:00')}, ${at('10:00')}, ${at('11:00')})`, true],
  ['and ends before its last', `is_within(${at('11:00')}, ${at('10:00')}, ${at('11:00')})`, false],
  ['one without ends holds all', `is_within(${at('11:00')}, null, null)`, true],
  ['nothing lies before its begin', `is_within(${at('09:59')}, ${at('10:00')}, null)`, false],
  ['while it was closed an incident was not open', 'open_s(600, 100)', 500],
  ['nor longer than it took', 'open_s(600, 700)', 0],
  ['one that was never reopened was open all the time', 'open_s(600, null)', 600],
  ['an answer takes from the start', `seconds_to_answer(${at('10:00')}, ${at('10:05')}, false)`, 300],
  [
    'one in the second of the start takes none',
    `seconds_to_answer(${at('10:00')}, ${at('10:00')}, false)`,
    0,
  ],
  ['one before it is none', `seconds_to_answer(${at('10:00')}, ${at('09:59')}, false)`, null],
  ['what is muted has none', `seconds_to_answer(${at('10:00')}, ${at('10:05')}, true)`, null],
])('%s', async (_, expression, value) => {
  const [found] = await rows(`select ${expression} as found`)
  expect(found!.found).toBe(value)
})

describe('by hand', () => {
  test('an hour is no less than an hour, nor a day, nor a week', async () => {
    const ages = [0, HOUR - 1, HOUR, DAY - 1, DAY, 7 * DAY - 1, 7 * DAY]
    await happen(ages.map((age) => ({ start_time: start + 30 * DAY - age })))
    const found = await rows('select age_bucket from open_incidents order by age_s')
    expect(found.map(({ age_bucket }) => age_bucket)).toEqual([
      ...['<1 h', '<1 h', '<1 d', '<1 d', '<7 d', '<7 d', 'older'],
    ])
  })

  test('who was assigned holds it until it is over, who only acknowledged too; who did neither holds nothing', async () => {
    await happen([{ close_time: start + 900 }])
    await insert('incident_responders', [
      { incident_id: 'i0', ordinal: 0, person_id: 1, assigned_at: start + 60 },
      { incident_id: 'i0', ordinal: 1, person_id: 2, acknowledged_at: start + 120 },
      { incident_id: 'i0', ordinal: 2, person_id: 3 },
    ])
    const found = await rows(
      `select person_id, epoch(held_at) - ${start} as held, epoch(started_at) - ${start} as started, epoch(ended_at) - ${start} as ended
      from response_spans() order by person_id`,
    )
    expect(found).toEqual([
      { person_id: 1, held: 60, started: null, ended: 900 },
      { person_id: 2, held: 120, started: 120, ended: 900 },
    ])
  })

  test('without working hours all seconds count, and of hours that nobody has none is due', async () => {
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
