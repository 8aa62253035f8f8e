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
  /** Every share that was seen, and the whole. */
  readonly shares: Set<number>
  /** Places given so far. */
  places: number
}

/** No request lasts longer than this from its place to its end, milliseconds: after it, a place without an end is over. */
export const LIFETIME_MS = 180_000

/** How far ahead a time may lie: the longest that a lost request may be on its way, and some. Beyond it is nonsense. */
const AHEAD_MOST_MS = 2_000

export function emptyBook(): Book {
  return { open: new Map(), counted: [], shares: new Set([1]), places: 0 }
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
    book.shares.add(record.share)
  }
}

/** Ends places whose lifetime is over and forgets what fills no window any more. */
export function settle(book: Book, limits: readonly Limit[], now: number): void {
  for (const [id, place] of book.open) {
    if (place.at + LIFETIME_MS > now) break
    book.open.delete(id)
    count(book, place, place.at + LIFETIME_MS)
  }
  const widest = Math.max(...limits.map((limit) => limit.windowMs))
  const first = book.counted.findIndex(({ at }) => at + widest > now)
  if (first !== 0) book.counted = first < 0 ? [] : book.counted.slice(first)
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
 * @returns -Infinity: at once; Infinity: not before one of those before it is over
 */
export function earliestStart(book: Book, place: Place, limits: readonly Limit[]): number {
  let start = Number.NEGATIVE_INFINITY
  for (const level of book.shares) {
    if (level < place.share) continue
    const isBefore = (other: Place | Counted) => other.order < place.order && other.share <= level
    let underWay = 0
    for (const other of book.open.values()) if (isBefore(other)) underWay++
    for (const { requests, windowMs } of shareOf(limits, level)) {
      const room = requests - 1 - underWay
      if (room < 0) return Number.POSITIVE_INFINITY
      // With this one over, those after it and those under way leave room for one.
      const mustBeOver = latest(book.counted, room, isBefore)
      if (mustBeOver !== undefined) start = Math.max(start, mustBeOver.at + windowMs)
    }
  }
  return start
}

/** The latest but so many of those that fit. */
function latest(
  counted: readonly Counted[],
  but: number,
  fits: (one: Counted) => boolean,
): Counted | undefined {
  if (counted.length <= but) return undefined
  let left = but
  return counted.findLast((one) => fits(one) && left-- === 0)
}
