import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../src/errors.ts'
import { parseCron } from '../../src/settings/cron.ts'

const MINUTE = 60_000
const DAY = 86_400_000

function runs(text: string, zone: string, from: number, to: number): number[] {
  const cron = parseCron(text, zone, 'test')
  const found: number[] = []
  for (let at = cron.next(from); at !== null && at < to; at = cron.next(at)) found.push(at)
  return found
}

const iso = (times: readonly number[]) => times.map((time) => new Date(time).toISOString())

test('cron times skipped by a clock change share one run at the end of the gap', () => {
  expect(
    iso(runs('0,15,30 2,3 * * *', 'Europe/Berlin', Date.UTC(2024, 2, 31), Date.UTC(2024, 3, 1))),
  ).toEqual(['2024-03-31T01:00:00.000Z', '2024-03-31T01:15:00.000Z', '2024-03-31T01:30:00.000Z'])
})

test('a half-hourly schedule runs every 30 minutes across clock changes', () => {
  for (const day of [Date.UTC(2024, 2, 31), Date.UTC(2024, 9, 27)]) {
    const found = runs('*/30 * * * *', 'Europe/Berlin', day - 1, day + DAY)
    expect(found).toEqual(Array.from({ length: 48 }, (_, index) => day + index * 30 * MINUTE))
  }
})

test('a schedule does not run on a calendar day that a country skips', () => {
  const found = runs('30 2 * * *', 'Pacific/Apia', Date.UTC(2011, 11, 28), Date.UTC(2012, 0, 1))
  expect(iso(found)).toEqual([
    '2011-12-28T12:30:00.000Z',
    '2011-12-29T12:30:00.000Z',
    '2011-12-30T12:30:00.000Z',
    '2011-12-31T12:30:00.000Z',
  ])
})

describe('cron expressions', () => {
  const on = (text: string, from: number, to: number) =>
    iso(runs(text, 'UTC', from, to)).map((one) => one.slice(0, 10))

  test('match either the day of the month or the weekday if both are restricted, as in crontab(5)', () => {
    expect(on('0 8 1 * MON', Date.UTC(2024, 4, 1) - 1, Date.UTC(2024, 4, 15))).toEqual([
      '2024-05-01',
      '2024-05-06',
      '2024-05-13',
    ])
  })

  test('can specify the last day, the second Monday and 29 February', () => {
    expect(on('0 8 L * *', Date.UTC(2024, 0, 1), Date.UTC(2024, 3, 1))).toEqual([
      '2024-01-31',
      '2024-02-29',
      '2024-03-31',
    ])
    expect(on('0 8 * * MON#2', Date.UTC(2024, 0, 1), Date.UTC(2024, 2, 1))).toEqual([
      '2024-01-08',
      '2024-02-12',
    ])
    expect(on('0 8 29 2 *', Date.UTC(2096, 2, 1), Date.UTC(2105, 0, 1))).toEqual(['2104-02-29'])
  })

  test('can have ranges across midnight and the weekend', () => {
    expect(on('0 8 * * FRI-MON', Date.UTC(2024, 0, 1), Date.UTC(2024, 0, 8))).toEqual([
      '2024-01-01',
      '2024-01-05',
      '2024-01-06',
      '2024-01-07',
    ])
    const found = runs('0 22-1 * * *', 'UTC', Date.UTC(2024, 0, 1) - 1, Date.UTC(2024, 0, 2))
    expect(found.map((at) => new Date(at).getUTCHours())).toEqual([0, 1, 22, 23])
  })

  test.each([
    '',
    'abc',
    '60 * * * *',
    '0 0 31 2 *',
    '* * * *',
    '0 0 * * * * *',
    '0 0 L-3 * *',
    '30 2 * * *\n',
  ])('are rejected with the configuration field if invalid: %j', (text) => {
    const parse = () => parseCron(text, 'UTC', 'schedule.sync')
    if (text.trim() === '30 2 * * *') return expect(parse).toThrow(/schedule\.sync/)
    expect(parse).toThrow(ConfigError)
    expect(parse).toThrow(/^schedule\.sync: /)
  })
})

/** Formats the local time of a zone, as an independent computation without offsets. */
function wall(zone: string) {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  return (time: number) => format.format(time)
}

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Pacific/Chatham',
  'UTC',
]

describe.each(zones)('a cron schedule over a year in %s', (zone) => {
  const from = Date.UTC(2024, 0, 1)
  const to = Date.UTC(2025, 0, 1)
  /** The first instant of every fifth local minute, by local time. */
  const first = new Map<string, number>()
  const shows = wall(zone)
  for (let at = from - 2 * DAY; at < to + 2 * DAY; at += 5 * MINUTE) {
    const local = shows(at)
    if (!first.has(local)) first.set(local, at)
  }
  const days = [...new Set([...first.keys()].map((local) => local.slice(0, 10)))].sort()
  const locals = [...first.keys()].sort()

  /** The first instant at or after a local time. */
  function moment(local: string): number {
    const shown = first.get(local)
    if (shown !== undefined) return shown
    return first.get(locals.find((other) => other > local)!)!
  }

  test('is due once a day at any time of day, or directly after a skipped time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 11 }), (hour, twelfth) => {
        const minute = 5 * twelfth
        const time = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
        const expected = days.map((day) => moment(`${day} ${time}`)).filter((at) => at > from && at < to)
        expect(iso(runs(`${minute} ${hour} * * *`, zone, from, to))).toEqual(iso(expected))
      }),
      {
        numRuns: 3,
        examples: [
          [0, 0],
          [2, 6],
        ],
      },
    )
  })

  test('returns the earliest run after any given time', () => {
    const cron = parseCron('30 2 * * *', zone, 'test')
    const all = runs('30 2 * * *', zone, from, to)
    fc.assert(
      fc.property(fc.integer({ min: from, max: to - 8 * DAY }), (at) => {
        expect(cron.next(at)).toBe(all.find((one) => one > at))
      }),
      { numRuns: 50 },
    )
  })
})

test('a cron schedule for every second is due at the next second', () => {
  const at = Date.UTC(2024, 9, 27, 0, 59, 59, 500)
  expect(parseCron('* * * * * *', 'Europe/Berlin', 'test').next(at)).toBe(at + 500)
})
