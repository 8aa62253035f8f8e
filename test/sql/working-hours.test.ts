import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import * as reference from './reference-working-hours.ts'
import { happening } from './small-company.ts'

const { happen, rows, settings } = happening()

const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'] as const
/** Weekdays and hours of the clock. `late` crosses midnight. */
const HOURS = {
  office: { days: [1, 2, 3, 4, 5], from: 9, to: 17 },
  late: { days: [5, 6, 7], from: 22, to: 6 },
  small: { days: [1, 2, 3, 4, 5, 6, 7], from: 1, to: 3 },
  always: { days: [1, 2, 3, 4, 5, 6, 7], from: 0, to: 24 },
} as const
type Name = keyof typeof HOURS
const HOLIDAYS = ['2026-03-27', '2026-05-01', '2026-10-26', '2026-12-25']
const DAYS = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

const at = (text: string) => Date.parse(text) / 1000
const clock = (zone: string) => ({ zone, holidays: HOLIDAYS })
const workedSeconds = (from: number, to: number, name: Name, zone: string) =>
  reference.workedSeconds(from, to, HOURS[name], clock(zone))
const FIRST = at('2026-01-01T00:00:00Z')

const given = settingsOf(
  readConfig(
    JSON.stringify({
      reporting: {
        workingHours: Object.fromEntries(
          Object.entries(HOURS).map(([name, { days, from, to }]) => [
            name,
            { days: days.map((day) => DAYS[day]).join(','), from, to: `${to}:00` },
          ]),
        ),
        holidays: Object.fromEntries(HOLIDAYS.map((day) => [day, 'off'])),
        teamZones: Object.fromEntries(ZONES.map((zone) => [zone, zone])),
      },
    }),
    'c.json',
  ).data.reporting,
  { timezone: 'Asia/Tokyo' },
)

interface Span {
  from: number
  to: number
  hours: Name
  zone: string
}
const moment = (seconds: number) => `to_timestamp(${seconds}::double)`
const spansOf = (spans: readonly Span[]) =>
  `with spans as (select * from (values ${spans
    .map(
      ({ from, to, hours, zone }, place) =>
        `(${place}, ${moment(from)}, ${moment(to)}, '${hours}', '${zone}')`,
    )
    .join()}) t (place, from_at, to_at, hours, team)), zoned as (select *, working_zone(hours, team) as timezone from spans)`
const secondsOf = async (spans: readonly Span[]) =>
  (
    await rows(`${spansOf(spans)} select working_s from working_seconds(of_spans := 'zoned') order by place`)
  ).map(({ working_s }) => working_s)

const span = fc.record({
  from: fc.integer({ min: FIRST, max: FIRST + 364 * 86_400 }),
  lasts: fc.oneof(fc.integer({ min: 0, max: 90_000 }), fc.integer({ min: 0, max: 30 * 86_400 })),
  hours: fc.constantFrom(...(Object.keys(HOURS) as Name[])),
  zone: fc.constantFrom(...ZONES),
})

describe('working time in seconds', () => {
  beforeEach(async () => {
    await happen([{ start_time: FIRST }], at('2027-02-01T00:00:00Z'))
    await settings(given)
  })

  test('matches an independent computation in four time zones', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(span, { minLength: 20, maxLength: 20 }), async (drawn) => {
        const spans = drawn.map(({ lasts, ...one }) => ({ ...one, to: one.from + lasts }))
        expect(await secondsOf(spans)).toEqual(
          spans.map(({ from, to, hours, zone }) => workedSeconds(from, to, hours, zone)),
        )
      }),
      { numRuns: 6, seed: 29 },
    )
  })

  test.each<[what: string, from: string, to: string, hours: Name, zone: string, worked: number]>([
    ['from Friday evening to Monday morning', '06-05T15:00', '06-08T08:00', 'office', 'Europe/Berlin', 1],
    ['over a holiday', '04-30T14:30', '05-04T07:30', 'office', 'Europe/Berlin', 1],
    ['around the clock on a day of 23 hours', '03-28T23:00', '03-29T22:00', 'always', 'Europe/Berlin', 23],
    ['around the clock on a day of 25 hours', '10-24T22:00', '10-25T23:00', 'always', 'Europe/Berlin', 25],
    ['1:00 to 3:00 if 2:00 is skipped', '03-29T00:00', '03-29T06:00', 'small', 'Europe/Berlin', 1],
    ['1:00 to 3:00 if 2:00 occurs twice', '10-24T22:00', '10-25T06:00', 'small', 'Europe/Berlin', 3],
    ['1:00 to 3:00 if 1:00 occurs twice', '11-01T04:00', '11-01T12:00', 'small', 'America/New_York', 3],
    ['at a clock change of half an hour', '04-04T13:00', '04-04T20:00', 'small', 'Australia/Lord_Howe', 2.5],
    [
      'without a time zone of the team, in that of reports',
      '06-08T00:00',
      '06-08T08:30',
      'office',
      'Nobody',
      8,
    ],
  ])('is correct: %s', async (_, from, to, hours, zone, worked) => {
    const span = { from: at(`2026-${from}Z`), to: at(`2026-${to}Z`), hours, zone }
    expect(await secondsOf([span])).toEqual([worked * 3600])
  })

  test('determines the due time of targets like an independent computation', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(span, fc.integer({ min: 1, max: 200_000 })), { minLength: 20, maxLength: 20 }),
        async (drawn) => {
          const clocks = drawn.map(([one]) => ({ ...one, to: one.from }))
          const targets = drawn.map(
            ([, target]) => `when ${drawn.findIndex((each) => each[1] === target)} then ${target}`,
          )
          const found = await rows(
            `${spansOf(clocks)}, clocks as (select *, case place ${targets.join(' ')} else 3600 end as target_s from zoned)
             select place, due_s, target_s from working_due(of_clocks := 'clocks') order by place`,
          )
          for (const { place, due_s, target_s } of found as Record<string, number>[]) {
            const { from, hours, zone } = clocks[place!]!
            expect(workedSeconds(from, from + due_s!, hours, zone)).toBe(target_s)
            expect(due_s).toBe(reference.dueAfter(from, target_s!, HOURS[hours], clock(zone)))
            expect(reference.isWorked(from + due_s!, HOURS[hours], clock(zone))).toBe(true)
          }
        },
      ),
      { numRuns: 5, seed: 30 },
    )
  })
})
