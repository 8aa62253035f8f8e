import { type Limit, shareOf } from '../sliding-window.ts'
import type { BudgetRecord } from './record.ts'

/** A request that stands in line or is under way. */
export type Place = BudgetRecord & { kind: 'place'; order: number }

/** A request that is over and may still fill a window. */
interface Counted {
  readonly id: string
  readonly order: number
  readonly share: number
  /** When the service counted it at the latest. */
  readonly at: number
}

/** What a log of records says so far. Whoever reads the same log has the same book. */
export interface Book {
  /** By id, in the order of their places. */
  readonly open: Map<string, Place>
  /** Oldest first. */
  counted: Counted[]
  /** The account's limits, whole. */
  readonly limits: readonly Limit[]
  /** Of each share that was seen, and of the whole: that share of the limits. */
  readonly levels: Map<number, readonly Limit[]>
  /** Places given so far. */
  places: number
}

/** No request lasts longer than this from its place to its end, milliseconds: after it, a place without an end is over. */
export const LIFETIME_MS = 180_000

/** How far ahead a time may lie: the longest that a lost request may be on its way, and some. Beyond it is nonsense. */
const AHEAD_MOST_MS = 2_000

/** @param limits the account's, whole */
export function emptyBook(limits: readonly Limit[]): Book {
  return { open: new Map(), counted: [], limits, levels: new Map([[1, limits]]), places: 0 }
}

/** Enters the next record of the log. What makes no sense (another boot's times, an end without a place) is passed over. */
export function enter(book: Book, record: BudgetRecord, now: number): void {
  const place = book.open.get(record.id)
  // Taken away first: a place that is written again goes behind all others.
  if (place !== undefined) book.open.delete(record.id)
  if (record.kind === 'end') {
    const over = place ?? takeLater(book, record)
    if (over !== undefined) count(book, over, Math.min(record.countedAt, now + AHEAD_MOST_MS))
  } else if (record.at <= now + AHEAD_MOST_MS) {
    book.open.set(record.id, { ...record, order: book.places++ })
    if (!book.levels.has(record.share)) book.levels.set(record.share, shareOf(book.limits, record.share))
  }
}

/** Ends places whose lifetime is over and forgets what fills no window any more. */
export function settle(book: Book, now: number): void {
  for (const [id, place] of book.open) {
    if (place.at + LIFETIME_MS > now) break
    book.open.delete(id)
    count(book, place, place.at + LIFETIME_MS)
  }
  const widest = Math.max(...book.limits.map((limit) => limit.windowMs))
  let over = 0
  while (over < book.counted.length && book.counted[over]!.at + widest <= now) over++
  if (over > 0) book.counted = book.counted.slice(over)
}

/** Takes the same request out where it is counted later: of what is said of one, the earliest counts. */
function takeLater(
  { counted }: Book,
  { id, countedAt }: BudgetRecord & { kind: 'end' },
): Counted | undefined {
  const index = counted.findLastIndex((one) => one.id === id && one.at > countedAt)
  return index < 0 ? undefined : counted.splice(index, 1)[0]
}

/** Puts it in its place by time; that is nearly always the last. */
function count(book: Book, { id, order, share }: Place | Counted, at: number): void {
  let index = book.counted.length
  while (index > 0 && book.counted[index - 1]!.at > at) index--
  book.counted.splice(index, 0, { id, order, share, at })
}

/**
 * The earliest time at which the request of a place may start. Only places before its own count, waiting ones
 * too, so that first come is first served and nobody needs to ask anybody.
 *
 * Shares nest: at each share from its own up to the whole, all requests of that share or a smaller one keep
 * that share of the limits together.
 * It is asked before each request and again whenever one ends, so it is written to be cheap in a program that has just
 * started, where each call of a function shows.
 * @returns -Infinity: at once; Infinity: not before one of those before it is over
 */
export function earliestStart(book: Book, place: Place): number {
  let start = Number.NEGATIVE_INFINITY
  for (const [level, limits] of book.levels) {
    if (level < place.share) continue
    let underWay = 0
    for (const other of book.open.values()) if (other.order < place.order && other.share <= level) underWay++
    for (const { requests, windowMs } of limits) {
      const room = requests - 1 - underWay
      if (room < 0) return Number.POSITIVE_INFINITY
      // With this one over, those after it and those under way leave room for one.
      const mustBeOver = latest(book.counted, room, place, level)
      if (mustBeOver !== undefined) start = Math.max(start, mustBeOver.at + windowMs)
    }
  }
  return start
}

/** The latest but so many of those that count at a level, whose places are before the one given. */
function latest(counted: readonly Counted[], but: number, before: Place, level: number): Counted | undefined {
  let left = but
  for (let index = counted.length - 1; index >= left; index--) {
    const one = counted[index]!
    if (one.order < before.order && one.share <= level && left-- === 0) return one
  }
  return undefined
}
