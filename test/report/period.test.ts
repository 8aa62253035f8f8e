import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../src/errors.ts'
import { addDays, daysBetween, firstOfMonth, mondayOf, startOfDay } from '../../src/report/local-date.ts'
import { parseParameters } from '../../src/report/parameters.ts'
import { parsePeriod, resolvePeriod } from '../../src/report/period.ts'

const date = fc
  .date({ min: new Date('1996-01-01T00:00:00Z'), max: new Date('2037-12-31T00:00:00Z'), noInvalidDate: true })
  .map((each) => each.toISOString().slice(0, 10))

describe('a period', () => {
  test.each([
    ['13 weeks', { unit: 'week', count: 13 }],
    ['4w', { unit: 'week', count: 4 }],
    [' 1 week ', { unit: 'week', count: 1 }],
    ['90d', { unit: 'day', count: 90 }],
    ['6 Months', { unit: 'month', count: 6 }],
    ['2026-01-01..2026-03-01', { from: '2026-01-01', to: '2026-03-01' }],
  ])('%s is read', (text, period) => expect(parsePeriod(text)).toEqual(period))

  test.each([
    '',
    'soon',
    '0w',
    '-4w',
    '4 years',
    '2026-02-30..2026-03-01',
    '2026-03-01..2026-03-01',
    '2026-1-1..2026-2-1',
    '2026-01-01..2026-02-01..x',
    '4w; drop',
  ])('"%s" is refused with what to write', (text) => {
    expect(() => parsePeriod(text)).toThrow(ConfigError)
  })

  test('of weeks ends with the last whole one, on Mondays', () => {
    // 1 November 2026 is a Sunday: its week is not over.
    expect(resolvePeriod({ unit: 'week', count: 13 }, '2026-11-01')).toEqual({
      previousFrom: '2026-04-27',
      from: '2026-07-27',
      to: '2026-10-26',
      running: true,
      span: '13 weeks',
    })
    expect(resolvePeriod({ unit: 'week', count: 1 }, '2026-11-02').to).toBe('2026-11-02')
  })

  test('of days and months ends with the last whole one', () => {
    expect(resolvePeriod({ unit: 'day', count: 1 }, '2026-03-01')).toMatchObject({
      from: '2026-02-28',
      to: '2026-03-01',
      span: '1 day',
    })
    expect(resolvePeriod({ unit: 'month', count: 2 }, '2026-03-31')).toMatchObject({
      previousFrom: '2025-11-01',
      from: '2026-01-01',
      to: '2026-03-01',
    })
  })

  test('given by dates is compared with as many days before', () => {
    expect(resolvePeriod({ from: '2026-02-01', to: '2026-03-01' }, '2026-11-01')).toEqual({
      previousFrom: '2026-01-04',
      from: '2026-02-01',
      to: '2026-03-01',
      running: false,
      span: '28 days',
    })
  })

  test('both periods are equally long, adjacent, and never reach past the data', () => {
    fc.assert(
      fc.property(
        date,
        fc.constantFrom('week' as const, 'day' as const),
        fc.integer({ min: 1, max: 60 }),
        (asOf, unit, count) => {
          const { previousFrom, from, to } = resolvePeriod({ unit, count }, asOf)
          expect(daysBetween(previousFrom, from)).toBe(daysBetween(from, to))
          expect(to <= asOf).toBe(true)
          expect(daysBetween(to, asOf)).toBeLessThan(7)
        },
      ),
    )
  })
})

describe('local dates', () => {
  test('Mondays and months', () => {
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

  test('a week with a change of clocks has 167 or 169 hours', () => {
    const hours = (from: string) =>
      (startOfDay(addDays(from, 7), 'Europe/Berlin').getTime() -
        startOfDay(from, 'Europe/Berlin').getTime()) /
      3_600_000
    expect([hours('2026-03-23'), hours('2026-10-19'), hours('2026-06-01')]).toEqual([167, 169, 168])
  })

  test('a day without midnight begins with its first moment', () => {
    // Clocks in São Paulo went from 23:59:59 to 01:00 in the night to 4 November 2018.
    expect(startOfDay('2018-11-04', 'America/Sao_Paulo').toISOString()).toBe('2018-11-04T03:00:00.000Z')
  })

  test('days begin where the database says they do', async () => {
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

describe('parameters', () => {
  test('lists, all, and what is left out', () => {
    expect(parseParameters({})).toEqual({
      period: { unit: 'week', count: 13 },
      timezone: null,
      teams: null,
      severities: null,
    })
    expect(parseParameters({ team: 'payments, checkout', severity: ['critical'] })).toMatchObject({
      teams: ['payments', 'checkout'],
      severities: ['Critical'],
    })
    expect(parseParameters({ team: 'all', severity: '' })).toMatchObject({ teams: null, severities: null })
  })

  test('mistakes come with a suggestion', () => {
    expect(() => parseParameters({ timezone: 'Europe/Berln' })).toThrow(
      expect.objectContaining({ next: 'Did you mean "Europe/Berlin"?' }),
    )
    expect(() => parseParameters({ severity: 'Critcal' })).toThrow(
      expect.objectContaining({ next: 'Did you mean "Critical"?' }),
    )
    expect(() => parseParameters({ timezone: 'nowhere' })).toThrow(
      expect.objectContaining({ next: expect.stringContaining('Europe/Berlin') }),
    )
  })
})
