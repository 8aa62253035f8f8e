import { describe, expect, inject, test } from 'vitest'
import { type OwedTime, owedTimes } from '../../../src/cli/report/due-reports.ts'
import { localTime } from '../../../src/render/format.ts'
import { parsePeriod } from '../../../src/report/parse/parse-period.ts'
import { isReached, resolvePeriod } from '../../../src/report/scope/period.ts'
import { parseCron } from '../../../src/settings/cron.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

interface Company {
  readonly period: string
  readonly schedule: string
  readonly sync?: string
  /** The zone of the schedule, by default the zone of the report. */
  readonly scheduleZone?: string
  readonly zone?: string
}

const remembered = <Given extends string | number, Result>(act: (given: Given) => Result) => {
  const known = new Map<Given, Result>()
  return (given: Given): Result => {
    if (!known.has(given)) known.set(given, act(given))
    return known.get(given)!
  }
}

/** Computes each time and period of a company once, because a year of nights requests them again and again. */
function calendarOf(company: Company) {
  const { period, schedule, sync: written = '30 2 * * *', zone = 'UTC', scheduleZone = zone } = company
  const cronOf = (text: string) => {
    const cron = parseCron(text, scheduleZone, '')
    return { ...cron, next: remembered(cron.next), last: remembered(cron.last) }
  }
  const asked = parsePeriod(period)
  const datesOf = remembered((dueAt: number) =>
    resolvePeriod(asked, localTime(new Date(dueAt), zone).slice(0, 10)),
  )
  const reached = remembered((dueAndData: string) => {
    const [dueAt, asOf] = dueAndData.split(' ').map(Number)
    return isReached(datesOf(dueAt!), zone, new Date(asOf!))
  })
  return { cron: cronOf(schedule), sync: cronOf(written), datesOf, reached }
}

/** Simulates days with failing syncs. @returns the delivered reports, and the due times that can be complete */
function play(
  { cron, sync, datesOf, reached }: ReturnType<typeof calendarOf>,
  from: number,
  to: number,
  isFailed: (syncAt: number) => boolean,
) {
  let asOf = from
  const sent: OwedTime[] = []
  const look = (now: number) => {
    const { owed } = owedTimes({
      ...{ cron, syncs: [sync], now },
      periodAt: (dueAt) => ({ ...datesOf(dueAt), isComplete: () => reached(`${dueAt} ${asOf}`) }),
      sent: (time) =>
        sent.some((one) => one.period === time.period && one.isComplete === time.isComplete) ? 'all' : 'none',
    })
    sent.push(...owed)
  }
  // A report may become due at its time, after each sync, and at the end of its wait.
  const moments = new Map<number, boolean>()
  const dues: number[] = []
  for (let at = cron.next(from)!; at < to; at = cron.next(at)!) {
    dues.push(at)
    for (const moment of [at, at + DAY - HOUR, at + DAY]) moments.set(moment, false)
  }
  for (let at = sync.next(from)!; at < to; at = sync.next(at)!) moments.set(at, true)
  for (const [at, isSync] of [...moments].sort(([a], [b]) => a - b)) {
    if (isSync && !isFailed(at)) asOf = at
    if (at >= dues[0]!) look(at)
  }
  return { sent, dues: dues.filter((at) => at < to - 3 * DAY) }
}

const said = ({ period, isComplete }: OwedTime) => `${period} ${isComplete ? 'complete' : 'incomplete'}`

describe('a report that is due on the first of a month', () => {
  const company = { period: 'last month', schedule: '0 8 1 * *' }
  const from = Date.UTC(2025, 11, 20)
  const to = Date.UTC(2026, 2, 10)
  const failing =
    (...days: string[]) =>
    (at: number) =>
      days.includes(new Date(at).toISOString().slice(0, 10))

  test('waits for the next sync if the sync of that night fails', () => {
    const { sent } = play(calendarOf(company), from, to, failing('2026-02-01'))
    expect(sent.map(said)).toEqual([
      '2025-12-01..2026-01-01 complete',
      '2026-01-01..2026-02-01 complete',
      '2026-02-01..2026-03-01 complete',
    ])
  })

  test('is sent incomplete after 24 hours, and once more when its data is complete', () => {
    const { sent } = play(
      calendarOf(company),
      from,
      to,
      failing('2026-02-01', '2026-02-02', '2026-02-03', '2026-02-06'),
    )
    expect(sent.map(said)).toEqual([
      '2025-12-01..2026-01-01 complete',
      '2026-01-01..2026-02-01 incomplete',
      '2026-01-01..2026-02-01 complete',
      '2026-02-01..2026-03-01 complete',
    ])
    expect(sent[1]!.completes).toBe(false)
    expect(sent[2]!.completes).toBe(true)
  })

  test('is sent incomplete at once if no sync is due within 24 hours', () => {
    const { sent } = play(calendarOf({ ...company, sync: '30 2 * * 1' }), from, to, () => false)
    expect(sent.map(said).slice(0, 2)).toEqual([
      '2025-12-01..2026-01-01 incomplete',
      '2025-12-01..2026-01-01 complete',
    ])
  })
})

describe('a scheduled report', () => {
  test.each<Company>([
    { period: 'last month', schedule: '0 8 1 * *' },
    { period: 'last month', schedule: '0 8 1 * *', sync: '0 22 * * *' },
    { period: 'last month', schedule: '0 8 1 * *', zone: 'America/Los_Angeles', scheduleZone: 'UTC' },
    { period: '4 weeks', schedule: '0 7 * * 1' },
    { period: 'last week', schedule: '0 7 * * 1', sync: '0 22 * * *', zone: 'Europe/Berlin' },
    { period: 'last quarter', schedule: '30 8 1 1,4,7,10 *' },
    { period: 'yesterday', schedule: '0 8 * * *' },
    { period: 'yesterday', schedule: '0 8 * * *', sync: '0 22 * * *' },
    { period: 'yesterday', schedule: '0 3 * * *' },
    { period: '4 weeks', schedule: '0 8 * * *' },
  ])('is sent complete exactly once per period, whichever nightly sync fails: %o', (company) => {
    const first = Date.UTC(2026, 0, 1)
    const margin = { 'last quarter': 100, 'last month': 36 }[company.period] ?? 9
    const calendar = calendarOf(company)
    for (let night = 0; night < 365; night += inject('isLarge') ? 1 : 10) {
      const failed = new Date(first + night * DAY).toISOString().slice(0, 10)
      const from = first + (night - margin) * DAY
      const isFailed = (at: number) => new Date(at).toISOString().startsWith(failed)
      const { sent, dues } = play(calendar, from, first + (night + margin) * DAY, isFailed)
      const complete = sent.filter(({ isComplete }) => isComplete).map(({ period }) => period)
      expect([failed, complete.length]).toEqual([failed, new Set(complete).size])
      const partly = sent.filter(({ isComplete }) => !isComplete).map(({ period }) => period)
      expect([failed, partly.length]).toEqual([failed, new Set(partly).size])
      expect([failed, dues.filter((at) => !sent.some((one) => one.isComplete && one.dueAt === at))]).toEqual([
        failed,
        [],
      ])
    }
  })
})
