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
/** Without a record of earlier deliveries, only reports that became due within this time are sent. */
const REMEMBERED_MS = 24 * HOUR_MS
/** Maximum time that a report waits for a sync to complete its data. */
const WAITS_MS = 24 * HOUR_MS
/** A report on incomplete data is sent again with complete data, but no later than this after its due time. */
const COMPLETED_MS = 400 * 24 * HOUR_MS
/** Maximum number of past due times for which a report is sent again. */
const COMPLETED_TIMES = 62

/** A due time for which a report must be made. */
export interface OwedTime {
  /** Unix ms. */
  readonly dueAt: number
  /** Whether a later due time has also passed. If so, this report does not replace the current page. */
  readonly isPast: boolean
  /** Whether an earlier delivery for this due time had incomplete data. */
  readonly completes: boolean
  readonly period: string
  readonly isComplete: boolean
}

export interface DueReport extends OwedTime {
  readonly report: Listed
  readonly subject: Sent['subject']
}

interface DueReports {
  readonly due: readonly DueReport[]
  /** Sentences about reports that wait for data. */
  readonly waiting: readonly string[]
}

interface Request {
  readonly targets: Sent['targets']
  readonly effects: Effects
  /** The user's parameters as JSON, see `parametersOf`. */
  readonly parameters: string
  /** Parameters that override those of the report. */
  readonly given?: RawParameters
  readonly again?: boolean
  /** Whether a scheduler makes the request. A scheduler records its runs, so it can catch up on old due times. */
  readonly isScheduled?: boolean
}

/**
 * Returns the reports to deliver now. A report without the data of its period waits up to 24 hours for a sync, and is
 * then sent with incomplete data. The complete report follows later.
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
  const own = [...given({ timezone, period, account }), ...given(request.given ?? {})]
  const periodAt = await duePeriods(reader, Object.fromEntries(own), config.timezone)
  const subjectOf = ({ dueAt, period: name, isComplete }: OwedTime) => {
    const at = new Date(dueAt).toISOString()
    return { parameters, period: report.isHandover ? `shift at ${at}` : name, isComplete, due: at }
  }
  const { owed, waiting } = owedTimes({
    ...{ cron, syncs, now },
    // A handover report covers the incidents that are open now, so it never waits for the data of a period.
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

interface DueFacts {
  readonly cron: Cron
  readonly syncs: readonly Cron[]
  /** Unix ms. */
  readonly now: number
  periodAt(dueAt: number): DuePeriod
  /** Whether all, some or none of the messages about a due time were sent. */
  sent(time: OwedTime): 'all' | 'some' | 'none'
}

/** Returns the due times that need a report now, oldest first, and sentences about due times that must wait. */
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
    // If several due times were missed, a report is made only for the last one.
    if (sent(whole) === 'all' || (isPast && !completes)) continue
    if (dates.isComplete()) owed.push(whole)
    else if (isPast || sent(partly) === 'all') waiting.push(`${period} is waiting for its data.`)
    else {
      const until = Math.min(dueAt + WAITS_MS, (cron.next(dueAt) ?? Number.POSITIVE_INFINITY) - HOUR_MS)
      const sync = nextSync(syncs, dueAt, until)
      if (sync === undefined || now >= until) owed.push(partly)
      else waiting.push(`${period} is waiting for the sync of ${new Date(sync).toISOString()}.`)
    }
  }
  // The newest due time comes last, because its report replaces the current page.
  return { owed: owed.reverse(), waiting }
}

function timesBefore(cron: Cron, now: number): number[] {
  const times: number[] = []
  for (let at = cron.last(now); at !== null && times.length < COMPLETED_TIMES; at = cron.last(at - 1)) {
    if (now - at > COMPLETED_MS && times.length > 1) break
    times.push(at)
  }
  return times
}

/** Returns a period as text. Adds the due time if the preceding due time has the same period. */
function nameOf(
  { from, to }: { from: string; to: string },
  dueAt: number,
  before: { from: string; to: string } | undefined,
): string {
  const isRepeated = before?.from === from && before.to === to
  return `${from}..${to}${isRepeated ? ` at ${new Date(dueAt).toISOString()}` : ''}`
}

function nextSync(syncs: readonly Cron[], after: number, until: number): number | undefined {
  const first = Math.min(...syncs.flatMap((cron) => cron.next(after) ?? []))
  return first <= until ? first : undefined
}
