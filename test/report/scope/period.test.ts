import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../../src/errors.ts'
import { namesIn, parseParameters } from '../../../src/report/parse/parameters.ts'
import { parsePeriod } from '../../../src/report/parse/parse-period.ts'
import {
  addDays,
  daysBetween,
  firstOfMonth,
  mondayOf,
  startOfDay,
} from '../../../src/report/scope/local-date.ts'
import { boundsOf, resolvePeriod } from '../../../src/report/scope/period.ts'
import { ALL } from '../../../src/report/scope/report-filters.ts'

const date = fc
  .date({ min: new Date('1996-01-01T00:00:00Z'), max: new Date('2037-12-31T00:00:00Z'), noInvalidDate: true })
  .map((each) => each.toISOString().slice(0, 10))

const resolved = (text: string, asOf: string) => resolvePeriod(parsePeriod(text), asOf)
const refusal = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('it was accepted')
}

describe('a period', () => {
  test.each([
    ['13 weeks', { kind: 'last', unit: 'week', count: 13 }],
    ['4w', { kind: 'last', unit: 'week', count: 4 }],
    [' 1  week ', { kind: 'last', unit: 'week', count: 1 }],
    ['last 4 weeks', { kind: 'last', unit: 'week', count: 4 }],
    ['90d', { kind: 'last', unit: 'day', count: 90 }],
    ['6 Months', { kind: 'last', unit: 'month', count: 6 }],
    ['6m', { kind: 'last', unit: 'month', count: 6 }],
    ['4 years', { kind: 'last', unit: 'year', count: 4 }],
    ['20 years', { kind: 'last', unit: 'year', count: 20 }],
    ['1045w', { kind: 'last', unit: 'week', count: 1_045 }],
    ['last quarter', { kind: 'last', unit: 'quarter', count: 1 }],
    ['Last Month', { kind: 'last', unit: 'month', count: 1 }],
    ['yesterday', { kind: 'last', unit: 'day', count: 1 }],
    ['this year', { kind: 'this', unit: 'year' }],
    ['2026-W12', { kind: 'named', unit: 'week', from: '2026-03-16', name: '2026-W12' }],
    ['2026-w01', { kind: 'named', unit: 'week', from: '2025-12-29', name: '2026-W01' }],
    ['2026-W53', { kind: 'named', unit: 'week', from: '2026-12-28', name: '2026-W53' }],
    ['2026-03', { kind: 'named', unit: 'month', from: '2026-03-01', name: '2026-03' }],
    ['2026-q4', { kind: 'named', unit: 'quarter', from: '2026-10-01', name: '2026-Q4' }],
    ['2026', { kind: 'named', unit: 'year', from: '2026-01-01', name: '2026' }],
    ['2026-02-28', { kind: 'named', unit: 'day', from: '2026-02-28', name: '2026-02-28' }],
    ['2026-01-01 .. 2026-03-01', { kind: 'range', from: '2026-01-01', to: '2026-03-01' }],
  ])('can be written as "%s"', (text, period) => expect(parsePeriod(text)).toEqual(period))

  test.each<[string, RegExp, RegExp]>([
    ['', /not a period/, /13 weeks/],
    ['soon', /not a period/, /last month/],
    ['last moth', /not a period/, /Did you mean "last month"/],
    ['this quater', /not a period/, /Did you mean "this quarter"/],
    ['last w', /not a period/, /Did you mean "last week"/],
    ['13 wekks', /not a period/, /^Did you mean "13 weeks"\?$/],
    ['0w', /at least 1/, /4 weeks/],
    ['9999 weeks', /at most 20 years/, /2 years/],
    ['1046w', /at most 20 years/, /2 years/],
    ['7321 days', /at most 20 years/, /2 years/],
    ['237 months', /at most 20 years/, /2 years/],
    ['80 quarters', /at most 20 years/, /2 years/],
    ['21 years', /at most 20 years/, /2 years/],
    ['99999999999999999999 days', /at most 20 years/, /2 years/],
    ['0001-01-01..9999-12-31', /at most 20 years/, /2 years/],
    ['2000-01-01..2021-01-02', /at most 20 years/, /2 years/],
    ['-4w', /not a period/, /13 weeks/],
    ['2025-W53', /2025 has 52 weeks/, /2025-W01 to 2025-W52/],
    ['2026-W0', /2026 has 53 weeks/, /W53/],
    ['2026-13', /Month 13 does not exist/, /2026-03/],
    ['2026-Q5', /Quarter 5 does not exist/, /Q4/],
    ['2026-02-30', /This date does not exist/, /2026-03-31/],
    ['20266', /not a period/, /2026-03/],
    ['2026-02-30..2026-03-01', /"2026-02-30" is not a valid date/, /exclusive/],
    ['2026-03-01..', /A date is missing/, /exclusive/],
    ['2026-03-01..2026-03-01', /end must be after its start/, /exclusive/],
    ['2026-1-1..2026-2-1', /"2026-1-1" is not a valid date/, /exclusive/],
    ['2026-01-01..2026-02-01..x', /only a start and an end/, /exclusive/],
    ['4w; drop', /not a period/, /13 weeks/],
  ])('cannot be written as "%s", and the error suggests a valid form', (text, message, next) => {
    const error = refusal(() => parsePeriod(text))
    expect(error.message).toMatch(message)
    expect(error.next).toMatch(next)
  })

  test('ends on the last Monday if its length is given in weeks', () => {
    // 1 November 2026 is a Sunday, so its week is still running.
    expect(resolved('13 weeks', '2026-11-01')).toEqual({
      previousFrom: '2026-04-27',
      from: '2026-07-27',
      to: '2026-10-26',
      running: true,
      open: false,
      span: '13 weeks',
    })
    expect(resolved('1 week', '2026-11-02').to).toBe('2026-11-02')
  })

  test.each([
    ['yesterday', '2026-03-01', '2026-02-27', '2026-02-28', '2026-03-01'],
    ['last week', '2026-03-30', '2026-03-16', '2026-03-23', '2026-03-30'],
    ['2 months', '2026-03-31', '2025-11-01', '2026-01-01', '2026-03-01'],
    ['last month', '2026-01-31', '2025-11-01', '2025-12-01', '2026-01-01'],
    ['last quarter', '2026-02-10', '2025-07-01', '2025-10-01', '2026-01-01'],
    ['last year', '2026-01-01', '2024-01-01', '2025-01-01', '2026-01-01'],
    ['2026-W12', '2026-11-01', '2026-03-09', '2026-03-16', '2026-03-23'],
    ['2026-03', '2026-11-01', '2026-02-01', '2026-03-01', '2026-04-01'],
    ['2026-Q1', '2026-11-01', '2025-10-01', '2026-01-01', '2026-04-01'],
    ['2025', '2026-11-01', '2024-01-01', '2025-01-01', '2026-01-01'],
  ])(
    'written as "%s" on %s covers a whole calendar unit, and is compared with the unit before',
    (text, asOf, previousFrom, from, to) => {
      expect(resolved(text, asOf)).toMatchObject({ previousFrom, from, to, open: false })
    },
  )

  test('still in progress ends when the data was read, and is compared with an equally long period', () => {
    const open = {
      previousFrom: '2026-10-22',
      from: '2026-11-01',
      to: '2026-11-11',
      open: true,
      running: false,
    }
    expect(resolved('this month', '2026-11-10')).toEqual({ ...open, span: 'this month so far' })
    expect(resolved('2026-11', '2026-11-10')).toEqual({ ...open, span: 'this month so far' })
    expect(resolved('this month', '2026-11-01')).toMatchObject({ from: '2026-11-01', to: '2026-11-02' })
    const asOf = new Date('2026-11-10T11:30:00Z')
    const bounds = boundsOf(resolved('this month', '2026-11-10'), ALL, 'Europe/Berlin', asOf, null)
    const [before, start, end] = ['previous_start', 'period_start', 'period_end'].map((name) =>
      Number(bounds[name]),
    )
    expect(end).toBe(asOf.getTime() + 1)
    expect(end! - start!).toBe(start! - before!)
    expect(bounds.scope_end).toEqual(bounds.period_end)
  })

  test('is rejected if it begins after the data was last read', () => {
    const error = refusal(() => resolved('2026-W46', '2026-11-01'))
    expect(error.message).toBe('The period 2026-W46 had not begun when the data was last read (2026-11-01).')
  })
})

describe('a complete period', () => {
  test('between two dates is compared with the same number of days directly before', () => {
    expect(resolved('2026-02-01..2026-03-01', '2026-11-01')).toEqual({
      previousFrom: '2026-01-04',
      from: '2026-02-01',
      to: '2026-03-01',
      running: false,
      open: false,
      span: '28 days',
    })
  })

  test('in weeks or days is as long as the previous period', () => {
    fc.assert(
      fc.property(
        date,
        fc.constantFrom('week', 'day'),
        fc.integer({ min: 1, max: 60 }),
        (asOf, unit, count) => {
          const { previousFrom, from, to } = resolved(`${count} ${unit}s`, asOf)
          expect(daysBetween(previousFrom, from)).toBe(daysBetween(from, to))
          expect(to <= asOf).toBe(true)
          expect(daysBetween(to, asOf)).toBeLessThan(7)
        },
      ),
    )
  })

  test('named by week, month, quarter or year covers that unit, whatever the current day is', () => {
    fc.assert(
      fc.property(
        date,
        fc.constantFrom('week', 'month', 'quarter', 'year', 'day'),
        fc.nat(400),
        (day, unit, later) => {
          const asOf = addDays(day, later)
          const { from, to, previousFrom, open } = resolved(nameOf(unit, day), asOf)
          expect(from <= day && day < to).toBe(true)
          expect(previousFrom < from).toBe(true)
          expect(to <= addDays(asOf, 1)).toBe(true)
          if (!open) expect(resolved(`last ${unit}`, to)).toMatchObject({ from, to, previousFrom })
        },
      ),
    )
  })
})

/** The name of the bucket of a day. ISO 8601 weeks count from their Thursday. */
function nameOf(unit: string, day: string): string {
  const month = Number(day.slice(5, 7))
  if (unit === 'year') return day.slice(0, 4)
  if (unit === 'month') return day.slice(0, 7)
  if (unit === 'quarter') return `${day.slice(0, 4)}-Q${Math.ceil(month / 3)}`
  if (unit === 'day') return day
  const thursday = addDays(mondayOf(day), 3)
  const week = Math.floor(daysBetween(`${thursday.slice(0, 4)}-01-01`, thursday) / 7) + 1
  return `${thursday.slice(0, 4)}-W${String(week).padStart(2, '0')}`
}

test('a period up to now has whole weeks and the current week, and the previous period has the same length', () => {
  expect(resolved('13 weeks to now', '2026-11-10')).toMatchObject({
    ...{ previousFrom: '2026-05-09', from: '2026-08-10', to: '2026-11-11' },
    ...{ open: true, span: '13 weeks to now' },
  })
  expect(resolved('1 month to now', '2026-11-10')).toMatchObject({ from: '2026-10-01', to: '2026-11-11' })
})

test('a period of one week has 167 or 169 hours if the clocks change in that week', () => {
  const hours = (text: string) => {
    const bounds = boundsOf(resolved(text, '2026-11-10'), ALL, 'Europe/Berlin', new Date(0), null)
    return (Number(bounds.period_end) - Number(bounds.period_start)) / 3_600_000
  }
  expect([hours('2026-W13'), hours('2026-W43'), hours('2026-W12')]).toEqual([167, 169, 168])
})

describe('local dates', () => {
  test('are mapped to the correct Monday and first day of the month', () => {
    fc.assert(
      fc.property(date, fc.integer({ min: -30, max: 30 }), (day, months) => {
        const monday = mondayOf(day)
        expect(new Date(monday).getUTCDay()).toBe(1)
        expect(daysBetween(monday, day)).toBeGreaterThanOrEqual(0)
        expect(daysBetween(monday, day)).toBeLessThan(7)
        expect(firstOfMonth(firstOfMonth(day, months), -months)).toBe(`${day.slice(0, 7)}-01`)
        expect(addDays(addDays(day, months), -months)).toBe(day)
      }),
    )
  })

  test('begin at the first instant of the day if midnight does not exist', () => {
    // Clocks in São Paulo went from 23:59:59 to 01:00 in the night to 4 November 2018.
    expect(startOfDay('2018-11-04', 'America/Sao_Paulo').toISOString()).toBe('2018-11-04T03:00:00.000Z')
  })

  test('begin at the same instant as in DuckDB', async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      'America/Havana',
      'UTC',
    ]
    const pairs = fc.sample(fc.tuple(date, fc.constantFrom(...zones)), { numRuns: 400, seed: 42 })
    for (const [day, zone] of pairs) {
      const ms = startOfDay(day, zone).getTime()
      const { 0: row } = (
        await connection.runAndReadAll(
          `select timezone($zone, make_timestamptz($ms::bigint))::date::varchar, timezone($zone, make_timestamptz(($ms - 1000000)::bigint))::date::varchar`,
          { zone, ms: BigInt(ms) * 1000n },
        )
      ).getRows()
      expect([day, row?.[0]]).toEqual([day, day])
      expect(String(row?.[1]) < day).toBe(true)
    }
    connection.closeSync()
  })
})

describe('report parameters', () => {
  test('can be lists, `all` or omitted', () => {
    expect(parseParameters({})).toEqual({
      period: { kind: 'last', unit: 'week', count: 13 },
      timezone: null,
      dimensions: new Map(),
    })
    expect(namesIn('payments, checkout')).toEqual(['payments', 'checkout'])
    expect(namesIn(['All', ' x, y'])).toEqual(['All', ' x, y'])
    expect([undefined, [], '', ' , ', 'all', 'payments, ALL'].map((one) => namesIn(one))).toEqual(
      Array(6).fill(null),
    )
    expect(namesIn('a, B,c , d,a', ['a, b', 'A,b, C', 'e, a'])).toEqual(['a, B,c', 'd', 'a'])
  })

  test('are rejected with a suggestion if the time zone is unknown', () => {
    expect(() => parseParameters({ timezone: 'Europe/Berln' })).toThrow(
      expect.objectContaining({ next: 'Did you mean "Europe/Berlin"?' }),
    )
    expect(() => parseParameters({ timezone: 'nowhere' })).toThrow(
      expect.objectContaining({ next: expect.stringContaining('Europe/Berlin') }),
    )
  })
})
