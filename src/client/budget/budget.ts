import { randomBytes } from 'node:crypto'
import type { Limit } from '../sliding-window.ts'
import { type Book, earliestStart, emptyBook, enter, LIFETIME_MS, type Place, settle } from './book.ts'
import type { BudgetLog } from './log.ts'
import { runs } from './runs.ts'

/** Counts requests against the limits. Times are given as spans, because its clock need not be the caller's. */
export interface Budget {
  /**
   * How long the next request has to wait, milliseconds; 0 or less: not at all. Takes a place in line for it.
   * @returns Infinity when only the end of one of our own requests can change the answer
   */
  waitMs(): number
  /** Uses the place: call it only when there was no need to wait. Each id must be ended exactly once. */
  start(): string
  /** @param agoMs how long ago the request was counted at the latest; leave it out when no answer came */
  end(id: string, agoMs?: number): void
  /** Says of a request that was ended that it was counted longer ago than was said. */
  revise(id: string, agoMs: number): void
  /** Gives the place in line back: nobody waits any more. */
  leave(): void
  /** Nothing will be started any more. What is under way can still be ended. */
  close(): void
}

/**
 * Added to every window, because the service's clock may tick in whole milliseconds: one for the tick, and one for windows
 * that count both of their ends.
 */
export const GUARD_MS = 2

/**
 * What a window lasts longer by our clock than by the service's, as a part of it: 500 in a million is the most by which
 * the kernel slows a clock down to set it right (adjtimex(2)), and several times what a clock without help is wrong by.
 */
const DRIFT = 0.0005

/** A request that got no answer may arrive up to this long after it was given up, or after its process died. */
export const LATE_ARRIVAL_MS = 1_000

/** Others' requests end without telling us; the log is looked at again after this long, milliseconds. */
const LOOK_AGAIN_MS = 20

/** Looking for dead processes costs a system call each. */
const BURY_EVERY_MS = 250

/**
 * Keeps the limits together with everyone who writes to the same log.
 *
 * A request takes a place in line by adding a record; it may start when the requests before it leave room, and
 * adds another record when it is over. At most one request of each budget waits in line at a time, so several
 * processes take turns, and one that dies leaves one place at the most that nobody used.
 * @param options.limits the account's, whole
 * @param options.share of them to use, above 0 and up to 1
 * @param options.clock milliseconds and their fractions, never going back, the same for all who share the log
 * @param options.host where pids mean something: those of another host are not looked for
 * @param options.longestMs the longest that one exchange lasts; below LIFETIME_MS
 * @param options.isAlive whether a process of this host runs
 */
export function createBudget(options: {
  log: BudgetLog
  limits: readonly Limit[]
  share: number
  clock: () => number
  longestMs: number
  pid?: number
  host?: string
  isAlive?: (pid: number) => boolean
}): Budget {
  const { log, share, clock, longestMs } = options
  const { pid = process.pid, host = '0', isAlive = runs } = options
  const limits = options.limits.map((limit) => ({ ...limit, windowMs: limit.windowMs * (1 + DRIFT) }))
  const book: Book = emptyBook(limits)
  const owner = randomBytes(5).toString('hex')
  /** Whoever had this pid before is dead. */
  const bornAt = clock() - process.uptime() * 1_000
  let number = 0
  let waiting: string | undefined
  let buriedAt = Number.NEGATIVE_INFINITY
  let underWay = 0
  let isClosed = false

  function standInLine(): string {
    const id = `${owner}.${number++}`
    log.append({ kind: 'place', id, share, at: clock(), pid, host })
    return id
  }

  function readLog() {
    for (const record of log.read()) enter(book, record, clock())
    settle(book, clock())
  }

  function placeInLine(): Place {
    waiting ??= standInLine()
    readLog()
    const place = book.open.get(waiting)
    if (place !== undefined && place.at + LIFETIME_MS > clock() + longestMs + LATE_ARRIVAL_MS) return place
    // Waited for too long, or stood still: others would take it for over while its request is under way.
    leave()
    return placeInLine()
  }

  /** Places of processes that are gone end now: their requests were sent by now, if at all. */
  function buryTheDead() {
    if (!log.isShared || clock() < buriedAt + BURY_EVERY_MS) return
    buriedAt = clock()
    const alive = new Map<number, boolean>()
    for (const place of book.open.values()) {
      if (place.host !== host || place.id.startsWith(`${owner}.`)) continue
      if (!alive.has(place.pid)) alive.set(place.pid, isAlive(place.pid))
      if (alive.get(place.pid) && !(place.pid === pid && place.at < bornAt)) continue
      log.append({ kind: 'end', id: place.id, countedAt: clock() + LATE_ARRIVAL_MS + GUARD_MS })
    }
    readLog()
  }

  function leave() {
    if (waiting !== undefined) log.append({ kind: 'end', id: waiting, countedAt: Number.NEGATIVE_INFINITY })
    waiting = undefined
  }

  function closeLog() {
    if (isClosed && underWay === 0) log.close()
  }

  // Opening a log takes a dozen milliseconds, which the first burst would wait for.
  readLog()

  return {
    waitMs() {
      const place = placeInLine()
      buryTheDead()
      const start = earliestStart(book, place)
      return start === Number.POSITIVE_INFINITY && log.isShared ? LOOK_AGAIN_MS : start - clock()
    },
    start() {
      const id = waiting!
      waiting = undefined
      underWay++
      return id
    },
    end(id, agoMs = -LATE_ARRIVAL_MS) {
      log.append({ kind: 'end', id, countedAt: clock() - agoMs + GUARD_MS })
      underWay--
      closeLog()
    },
    revise(id, agoMs) {
      if (!isClosed) log.append({ kind: 'end', id, countedAt: clock() - agoMs + GUARD_MS })
    },
    leave,
    close() {
      if (isClosed) return
      leave()
      isClosed = true
      closeLog()
    },
  }
}
