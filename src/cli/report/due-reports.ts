import type { Config } from '../../config/config.ts'
import { messagesBy, type Sent, sentBefore } from '../../delivery/outbox.ts'
import type { Effects } from '../../effects.ts'
import type { RawParameters } from '../../report/parse/parameters.ts'
import { allReports, type Listed } from '../../report/report-catalog.ts'
import { type DuePeriod, duePeriods } from '../../report/scope/due-periods.ts'
import { planJobs } from '../../schedule/jobs.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import type { Cron } from '../../settings/cron.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import type { Context } from '../context.ts'

const HOUR_MS = 3_600_000
/** What came due so long ago is sent even if nothing is remembered of earlier runs. */
const REMEMBERED_MS = 24 * HOUR_MS
/** A report whose data is not complete waits so long for a sync. */
const WAITS_MS = 24 * HOUR_MS
/** A report that was delivered incomplete is made again for so long. */
const COMPLETED_MS = 400 * 24 * HOUR_MS
const COMPLETED_TIMES = 62

/** A report that is to be made and delivered for one of its due times. */
export interface DueReport {
  readonly report: Listed
  readonly subject: Sent['subject']
  /** Unix ms. */
  readonly dueAt: number
  /** Whether a later due time has come: then its page is not the current one. */
  readonly isPast: boolean
  /** Whether it was delivered before its data was complete. */
  readonly completes: boolean
}

/** Reports to deliver now, and those that wait for data. */
export interface DueReports {
  readonly due: readonly DueReport[]
  /** Sentences about each report that waits. */
  readonly waiting: readonly string[]
}

interface Request {
  readonly targets: Sent['targets']
  readonly effects: Effects
  /** The parameters that were given, which go before those of the report. */
  readonly parameters: string
  readonly given?: RawParameters
  readonly again?: boolean
  /** Whether a time is due however long ago it was: the scheduler remembers what it did. */
  readonly isScheduled?: boolean
}

/**
 * Returns which reports to deliver now. Their periods follow from their due times. A report whose period the data does not reach
 * waits for a sync that is due within 24 hours, then goes out incomplete, and once more when the data is there.
 */
export async function dueReports(
  { console }: Pick<Context, 'console'>,
  config: Config,
  reader: Reader,
  reports: readonly Listed[],
  request: Request,
): Promise<DueReports> {
  const wanted = new Map(reports.filter(({ problem }) => !problem).map((report) => [report.name, report]))
  const jobs = planJobs(config, allReports(config.reports), (report, { message }) => {
    if (wanted.has(report)) console.error(`${report}: ${message}`)
  })
  const syncs = jobs.filter(({ kind }) => kind === 'sync').map(({ cron }) => cron)
  const due: DueReport[] = []
  const waiting: string[] = []
  for (const { kind, subject, cron } of jobs) {
    const report = kind === 'report' && subject !== undefined ? wanted.get(subject) : undefined
    if (!report) continue
    const found = await timesDue(report, cron, syncs, config, reader, request)
    due.push(...found.due)
    waiting.push(...found.waiting)
  }
  return { due, waiting }
}

async function timesDue(
  report: Listed,
  cron: Cron,
  syncs: readonly Cron[],
  config: Config,
  reader: Reader,
  request: Request,
): Promise<DueReports> {
  const { targets, effects, parameters, again = false, isScheduled = false } = request
  const now = effects.now()
  const last = cron.last(now)
  if (last === null) return { due: [], waiting: [] }
  const ledger = (await resolveStorage(config.warehouse)).deliveries
  const known = again ? new Map<string, string>() : await sentBefore(report.name, { ledger, effects })
  const isKnown = [...known.values()].some((at) => Date.parse(at) < last)
  if (!isScheduled && now - last > REMEMBERED_MS && !isKnown) return { due: [], waiting: [] }
  const { timezone, period, account } = report
  const given = (values: object) => Object.entries(values).filter(([, value]) => (value ?? null) !== null)
  const parametersOf = Object.fromEntries([
    ...given({ timezone, period, account }),
    ...given(request.given ?? {}),
  ])
  const periodAt = await duePeriods(reader, parametersOf, config.timezone)
  const subjectOf = ({ dueAt, period: name, isComplete }: OwedTime) => {
    const at = new Date(dueAt).toISOString()
    return { parameters, period: report.isHandover ? `shift at ${at}` : name, isComplete, due: at }
  }
  const { owed, waiting } = owedTimes({
    ...{ cron, syncs, now },
    // What is open now is of any moment.
    periodAt: (dueAt) => ({ ...periodAt(dueAt), ...(report.isHandover && { isComplete: () => true }) }),
    sent(time) {
      const messages = messagesBy(known, report.name, { targets, subject: subjectOf(time) })
      const sent = messages.filter(({ sentAt }) => sentAt !== null).length
      return sent === messages.length ? 'all' : sent > 0 ? 'some' : 'none'
    },
  })
  return {
    due: owed.map((time) => ({ ...time, report, subject: subjectOf(time) })),
    waiting: waiting.map((text) => `${report.name}: ${text}`),
  }
}

/** A due time for which a report is to be made. */
export interface OwedTime extends Pick<DueReport, 'dueAt' | 'isPast' | 'completes'> {
  /** `2026-01-01..2026-02-01`. */
  readonly period: string
  readonly isComplete: boolean
}

/** What decides whether a report is owed. */
export interface DueFacts {
  readonly cron: Cron
  /** When data is read. */
  readonly syncs: readonly Cron[]
  /** Unix ms. */
  readonly now: number
  periodAt(dueAt: number): DuePeriod
  /** Whether a report was delivered to all of its targets, to some, or to none. */
  sent(time: OwedTime): 'all' | 'some' | 'none'
}

/** Decides for which due times a report is to be made now, oldest first, and for which it waits. */
export function owedTimes({ cron, syncs, now, periodAt, sent }: DueFacts): {
  owed: OwedTime[]
  waiting: string[]
} {
  const times = timesBefore(cron, now)
  const owed: OwedTime[] = []
  const waiting: string[] = []
  for (const [index, dueAt] of times.entries()) {
    const isPast = index > 0
    const dates = periodAt(dueAt)
    const before = times[index + 1]
    const period = nameOf(dates, dueAt, before === undefined ? undefined : periodAt(before))
    const partly = { ...{ dueAt, isPast, period }, isComplete: false, completes: false }
    const completes = sent(partly) !== 'none'
    const whole = { ...partly, isComplete: true, completes }
    // A run that was missed is caught up once, for the last time.
    if (sent(whole) === 'all' || (isPast && !completes)) continue
    if (dates.isComplete()) owed.push(whole)
    else if (isPast || sent(partly) === 'all') waiting.push(`${period} waits for its data.`)
    else {
      const until = Math.min(dueAt + WAITS_MS, (cron.next(dueAt) ?? Number.POSITIVE_INFINITY) - HOUR_MS)
      const sync = nextSync(syncs, dueAt, until)
      if (sync === undefined || now >= until) owed.push(partly)
      else waiting.push(`${period} waits for the sync of ${new Date(sync).toISOString()}.`)
    }
  }
  // The current page is the last one to be written.
  return { owed: owed.reverse(), waiting }
}

/** The due times up to now, newest first. */
function timesBefore(cron: Cron, now: number): number[] {
  const times: number[] = []
  for (let at = cron.last(now); at !== null && times.length < COMPLETED_TIMES; at = cron.last(at - 1)) {
    if (now - at > COMPLETED_MS && times.length > 1) break
    times.push(at)
  }
  return times
}

/** The dates of a period; with the due time if the report was due on the same period before. */
function nameOf(
  { from, to }: { from: string; to: string },
  dueAt: number,
  before: { from: string; to: string } | undefined,
): string {
  const isRepeated = before?.from === from && before.to === to
  return `${from}..${to}${isRepeated ? ` at ${new Date(dueAt).toISOString()}` : ''}`
}

/** The first sync that is due after one moment and up to another. */
function nextSync(syncs: readonly Cron[], after: number, until: number): number | undefined {
  const times = syncs.flatMap((cron) => cron.next(after) ?? [])
  const first = Math.min(...times)
  return first <= until ? first : undefined
}
