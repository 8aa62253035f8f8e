import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { errorText, FaultlineError } from '../errors.ts'
import { runReport } from '../page/run-report.ts'
import type { ReportResult } from '../render/result.ts'
import { toPageList } from '../render/to-index.ts'
import type { RunOptions } from '../report/ask-queries.ts'
import { byPeriod, type Listed } from '../report/report-catalog.ts'
import { accountsIn, type Sessions, sessionsOf } from '../report/scope/report-filters.ts'
import type { ShiftEnd } from '../report/scope/shift.ts'
import { writeListed } from '../report/served-files.ts'
import { pooled } from '../warehouse/read/pool.ts'
import type { Reader } from '../warehouse/read/reader.ts'
import { placeOf } from './error-places.ts'
import type { ReportPart } from './output-folders.ts'
import { navigationOfIndex } from './page-navigation.ts'
import { type PageRequest, type WrittenPage, writePage } from './write-page.ts'

/** Parts are teams, values or accounts. One part renders pages while DuckDB runs the queries of two others. */
const AT_ONCE = 3
/** Exit status if a report was created, but one of its conditions failed. */
const GATE_FAILED = 3

export interface PartsRequest extends Omit<PageRequest, 'part'> {
  readonly reader: Reader
  readonly reports: readonly Listed[]
  readonly all: readonly Listed[]
  readonly run: RunOptions
  /** Where the data of the last delivered handover ends, by report name. */
  readonly shifts?: ReadonlyMap<string, ShiftEnd>
  readonly jobs?: number | undefined
  readonly signal: AbortSignal
  readonly log: { note(text: string): void; error(text: string): void }
  /** Called after a page has been written. @returns an exit status */
  made?(result: ReportResult, page: WrittenPage): Promise<number>
}

/** Continues after a failed report. Returns the highest exit status. */
export async function makeReportParts(parts: readonly ReportPart[], request: PartsRequest): Promise<number> {
  const { signal, log, jobs = AT_ONCE } = request
  const waiting = [...parts]
  const sessions = partSessions(request.reader, parts)
  const failed = new Map<string, Set<string>>()
  let status = 0
  const attempt = async (part: ReportPart, report: Listed, own: Sessions) => {
    signal.throwIfAborted()
    try {
      if (report.problem) throw report.problem
      status = Math.max(status, await makePage(part, report, own, request))
    } catch (error) {
      if (!(error instanceof FaultlineError)) throw error
      const of = part.name === null || report.problem ? '' : ` of ${part.name}`
      const text = errorText(error)
      failed.set(text, (failed.get(text) ?? new Set()).add(placeOf(error, report) + of))
      status = Math.max(status, error.exitCode)
    }
  }
  const worker = async () => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const own = await sessions.open(part)
      for (const report of reportsOf(part, request.reports)) await attempt(part, report, own)
      sessions.done(part)
      if (part.name !== null && request.isLinked && request.files.includes('html'))
        writePartIndex(part, request)
    }
  }
  // Waits for all workers, because the caller closes the reader afterwards.
  const ended = await Promise.allSettled(Array.from({ length: jobs }, worker))
  for (const [text, places] of failed) log.error(`${shortList([...places])}: ${text}`)
  for (const each of ended) if (each.status === 'rejected') throw each.reason
  return status
}

async function makePage(
  part: ReportPart,
  report: Listed,
  sessions: Sessions,
  request: PartsRequest,
): Promise<number> {
  const { log, run } = request
  const account = part.account === null ? {} : { account: part.account.id }
  const shift = request.shifts?.get(report.name)
  const result = await runReport(report.file, sessions, { ...run, ...account, ...part.options, shift })
  const page = writePage(result, { ...request, part })
  const status = (await request.made?.(result, page)) ?? 0
  const subject = part.name === null ? report.name : `${report.name} of ${part.name}`
  for (const warning of result.warnings) log.note(`${subject}: ${warning}`)
  const failing = result.gates.filter(({ state }) => state !== 'ok')
  for (const { state, message } of failing)
    log.note(`${state === 'error' ? 'failed' : 'warning'}: ${subject}: ${message}`)
  return Math.max(status, failing.some(({ state }) => state === 'error') ? GATE_FAILED : 0)
}

/** For a single team or value, omits unreadable reports and comparisons of teams. */
function reportsOf({ kind }: ReportPart, reports: readonly Listed[]): Listed[] {
  const isSmall = kind === 'team' || kind === 'value'
  return byPeriod(isSmall ? reports.filter(({ perTeam, problem }) => perTeam && !problem) : reports)
}

/** All parts of an account share one pool of sessions, which is closed after the last of these parts. */
function partSessions(reader: Reader, parts: readonly ReportPart[]) {
  const known = accountsIn(reader)
  known.catch(() => undefined)
  const open = new Map<string | null, Promise<Sessions & { close(): void }>>()
  const left = new Map<string | null, number>()
  const keyOf = ({ account }: ReportPart) => account?.id ?? null
  for (const part of parts) left.set(keyOf(part), (left.get(keyOf(part)) ?? 0) + 1)
  const make = async ({ account, kind }: ReportPart) =>
    account === null
      ? pooled(reader, { timesKept: kind === 'team' || kind === 'value' })
      : sessionsOf(reader, account, await known)
  return {
    open(part: ReportPart): Promise<Sessions> {
      const key = keyOf(part)
      if (!open.has(key)) open.set(key, make(part))
      return open.get(key)!
    },
    done(part: ReportPart) {
      const key = keyOf(part)
      left.set(key, left.get(key)! - 1)
      if (left.get(key) === 0) void open.get(key)?.then((sessions) => sessions.close())
    },
  }
}

function writePartIndex(part: ReportPart, { out, all }: PartsRequest): void {
  const folder = join(out, part.folder)
  const pages = all
    .filter(({ name }) => existsSync(join(folder, `${name}.html`)))
    .map(({ name, title, description }) => ({ page: `${encodeURIComponent(name)}.html`, title, description }))
  writeListed(out, `${part.folder}/index.html`, toPageList(part.name!, pages, navigationOfIndex(out, part)))
}

/** The page with the list is in the folder that contains the folders of all values or accounts. */
export function writePartList(out: string, heading: string, parts: readonly ReportPart[]): void {
  const [folder = ''] = parts[0]?.folder.split('/') ?? []
  const pages = parts.map((part) => ({
    page: `${encodeURIComponent(part.folder.slice(folder.length + 1))}/index.html`,
    title: part.name ?? '',
    description: '',
  }))
  const hasIndex = existsSync(join(out, 'index.html'))
  const all = { href: '../index.html', text: 'All reports' }
  const site = hasIndex ? { all, previous: null, next: null, teams: null } : null
  writeListed(out, `${folder}/index.html`, toPageList(heading, pages, site))
}

function shortList(places: readonly string[]): string {
  const more = places.length - 6
  return places.slice(0, 6).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
