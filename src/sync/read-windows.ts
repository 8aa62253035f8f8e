import { isCount, pageError, pages, STALE_CACHE_HINT } from '../client/paging.ts'
import type { Reply } from '../client/send.ts'
import { TOTAL_EXACT_BELOW } from '../contract/assumptions.ts'
import type { RequestOf } from '../contract/index.ts'
import { PAGE_LIMIT_MAX } from '../contract/limits.ts'
import { ContractError, FaultlineError, ServiceError } from '../errors.ts'
import type { ReadStrategy, Resource } from '../resources/resource.ts'
import { at, keyOf, pathOf, type RecordRow } from '../warehouse/load/record-row.ts'
import { notAList, type Page, pageOf, type ReadContext, unreadablePage } from './page.ts'
import { createPageSize, type PageSize } from './page-size.ts'
import { askedWindow, type Slice, type Window } from './slice.ts'

type Windows = Extract<ReadStrategy, { kind: 'windows' }>

/** A range of start times to read, and the position in its list of records. */
interface Place extends Window {
  readonly cursor: string | null
  /** The latest start time received before this position, or `start` at the beginning. */
  readonly latest: number
}

const beginningOf = (start: number, end: number): Place => ({ start, end, cursor: null, latest: start })

const WAYS_MOST = 200

/** Maximum number of timeouts in a window. It is low, because each timeout can take minutes. */
const TIMEOUTS_MOST = 3

/** Maximum number of one-row requests that fail before the first page. If more fail, the service is at fault. */
const FRUITLESS_MOST = 6

/** Some services end a search after a multiple of this number of rows, as if there were no further page. */
const CAP_STEP = 1_000

/**
 * Reads a window with cursors, oldest records first, so that new records come last. After a failure, tries smaller
 * pages and then halves of the window. A single second that cannot be read becomes a refused record.
 */
export async function* readWindowPages(
  context: ReadContext,
  resource: Resource,
  read: Windows,
  slice: Slice,
): AsyncGenerator<Page> {
  const asked = askedWindow(slice.window!)
  const size = createPageSize()
  const left: Place[] = [{ ...beginningOf(asked.start, asked.end), cursor: slice.cursor }]
  let total: number | null = null
  let unreadableUntil = Number.NEGATIVE_INFINITY
  let ways = 0
  let timeouts = 0
  let fruitless = 0
  let hasRead = false
  for (let place = left.shift(); place !== undefined; place = left.shift()) {
    let progress: Progress = { latest: place.latest, cursor: place.cursor, rows: 0, isCapped: false }
    try {
      const canShrink = timeouts < TIMEOUTS_MOST
      for await (const page of readSeries(context, resource, read, { slice, place, size, canShrink })) {
        progress = page.progress
        hasRead = true
        // Uses only the total of the entire window, because the total of a part is smaller.
        if (place.start === asked.start && place.end === asked.end) total = page.total
        yield { ...page, total }
      }
      // A remaining cursor means that `readSeries` stopped to try a larger page size.
      if (progress.cursor !== null)
        left.unshift({ ...place, cursor: progress.cursor, latest: progress.latest })
      else if (progress.isCapped) left.unshift(fromLatest(resource, place, progress))
    } catch (error) {
      if (!hasRead && size.rows === 1) fruitless += 1
      const way = anotherWay(error, place, { ...progress, size, isFirst: slice.cursor === place.cursor })
      if (isTimeout(error)) timeouts += 1
      ways += 1
      const isExhausted = ways > WAYS_MOST || timeouts > TIMEOUTS_MOST || fruitless > FRUITLESS_MOST
      if (way === null || isExhausted) throw error
      // Until the first page arrives, larger parts are tried first. If only one record is bad, most parts are readable.
      if (way instanceof ContractError) {
        // Neighboring parts share one second, so one bad record in that second makes both parts fail.
        if (place.start !== unreadableUntil) yield unreadablePage(place.start, way)
        unreadableUntil = place.end
      } else if (hasRead) left.unshift(...way)
      else left.push(...way)
    }
  }
}

interface Progress {
  readonly latest: number
  /** Null at the end of the list. */
  readonly cursor: string | null
  readonly rows: number
  /** Whether the list ended at a number of rows at which services truncate a search. */
  readonly isCapped: boolean
}

async function* readSeries(
  { client, signal }: ReadContext,
  resource: Resource,
  read: Windows,
  { slice, place, size, canShrink }: { slice: Slice; place: Place; size: PageSize; canShrink: boolean },
): AsyncGenerator<Page & { readonly progress: Progress }> {
  const body = {
    start_time: place.start,
    end_time: place.end,
    asc: true,
    limit: size.rows,
    ...(slice.ids === null ? {} : { [read.idsParameter]: slice.ids }),
    ...(slice.onlyOpen ? read.openFilter : {}),
    ...(place.cursor === null ? {} : { search_after_ctx: place.cursor }),
  } as RequestOf<typeof resource.operation>
  const follow = followed(resource, read.start, place)
  for await (const reply of pages(client.read, resource.operation, body, { signal, canShrink })) {
    const page = pageOf(resource, reply)
    const { latest, rows } = follow(page.items, reply)
    const cursor = cursorOf(reply)
    const isGrown = size.grow()
    yield { ...page, cursor, progress: { latest, rows, cursor, isCapped: isCapped(page.total, rows, place) } }
    if (isGrown) return
  }
}

function cursorOf({ data }: Reply<unknown>): string | null {
  const cursor = at(data, ['search_after_ctx'])
  return typeof cursor === 'string' && cursor !== '' && at(data, ['has_next_page']) !== false ? cursor : null
}

/** Whether a list that ends after `rows` rows might be truncated. After a cursor, earlier rows are not counted. */
function isCapped(total: number | null, rows: number, { cursor }: Place): boolean {
  const isRound = rows % CAP_STEP === 0
  return total !== null && total >= TOTAL_EXACT_BELOW && rows > 0 && (isRound || cursor !== null)
}

/**
 * Returns where to continue a truncated list: at the latest start time received so far. @throws ContractError if all
 * rows have the same start time
 */
function fromLatest({ operation, items }: Resource, place: Place, { latest }: Progress): Place {
  if (latest > place.start) return beginningOf(latest, place.end)
  throw pageError(operation, items.join('.'), `the list ends after ${CAP_STEP} rows that start in one second`)
}

/** Returns ranges to read instead, an error if a single second is unreadable, or null to give up. */
function anotherWay(
  error: unknown,
  place: Place,
  { latest, cursor, rows, size, isFirst }: Progress & { readonly size: PageSize; readonly isFirst: boolean },
): readonly Place[] | ContractError | null {
  if (!(error instanceof FaultlineError)) return null
  const here = { ...place, cursor, latest }
  if (error.smallerMayWork) {
    if (size.shrink(isTimeout(error))) return [here]
    const start = Math.max(place.start, latest)
    if (place.end - start <= 1) return error instanceof ContractError ? error : null
    const middle = Math.floor((start + place.end) / 2)
    return [beginningOf(start, middle), beginningOf(middle, place.end)]
  }
  if ((isFirst && rows === 0) || !isAboutCursor(error) || latest <= place.start) return null
  return [beginningOf(latest, place.end)]
}

function isTimeout(error: unknown): boolean {
  return error instanceof FaultlineError && error.smallerMayWork && !(error instanceof ContractError)
}

/** Whether the service refused a cursor, or returned the same cursor twice. */
export function isAboutCursor(error: unknown): boolean {
  if (error instanceof ServiceError)
    return error.status === 400 || error.status === 404 || error.status === 410
  return error instanceof ContractError && error.issues[0]?.path === 'search_after_ctx'
}

/** Maximum number of consecutive rows without a later start time. More indicate an endless loop, not a spike. */
const ROWS_AT_REST = 50 * PAGE_LIMIT_MAX

/** Maximum number of pages, which is enough for two million incidents in one window. */
const PAGES_MOST = 20_000

/** A list can exceed its total by this many rows, because rows can be added while it is read. */
const ROWS_MEANWHILE = 500

/** Returns a function that checks each page. It throws ContractError if the list does not seem to end. */
function followed(resource: Resource, start: string, place: Place) {
  const path = pathOf(resource, start)
  const key = keyOf(resource)
  const fail = (message: string) => pageError(resource.operation, resource.items.join('.'), message)
  let [count, rows, atRest, latest, before] = [0, 0, 0, place.latest, '']
  return (items: readonly unknown[], { data, requestId }: Reply<unknown>) => {
    const total = at(data, ['total']) ?? null
    if (total !== null && !isCount(total)) throw pageError(resource.operation, 'total', 'expected a count')
    count += 1
    rows += items.length
    const most = total === null ? TOTAL_EXACT_BELOW : Number(total)
    // Null can stand for an empty list, but not while rows are missing.
    const isList = Array.isArray(at(data, resource.items))
    if (!isList && (total === null || rows < Math.min(most, TOTAL_EXACT_BELOW)))
      throw notAList(resource, requestId)
    const times = items.map((item) => Number(at(item, path))).filter((time) => time <= place.end)
    const last = Math.max(...times)
    atRest = last > latest ? 0 : atRest + (items.length || PAGE_LIMIT_MAX)
    latest = Math.max(latest, last)
    const ends = [items[0], items.at(-1)].map((item) => (isRecord(item) ? key(item) : '')).join()
    if (items.length > 1 && ends === before) throw fail(`a page was returned twice: ${STALE_CACHE_HINT}`)
    before = ends
    if (most < TOTAL_EXACT_BELOW && rows > 2 * most + ROWS_MEANWHILE)
      throw fail(`more rows than its total of ${most}`)
    if (atRest >= ROWS_AT_REST || count > PAGES_MOST)
      throw fail(`${atRest.toLocaleString('en')} consecutive rows had no newer start within the window`)
    return { latest, rows }
  }
}

function isRecord(item: unknown): item is RecordRow {
  return typeof item === 'object' && item !== null
}
