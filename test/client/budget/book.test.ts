import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Book,
  earliestStart,
  emptyBook,
  enter,
  LIFETIME_MS,
  settle,
} from '../../../src/client/budget/book.ts'
import type { BudgetRecord } from '../../../src/client/budget/record.ts'
import { type Limit, shareOf } from '../../../src/client/sliding-window.ts'
import { mostInWindow } from '../most-in-window.ts'

const LIMITS = [
  { requests: 4, windowMs: 100 },
  { requests: 10, windowMs: 700 },
]

/** A process whose every step is of its own: another may act between any two of them. */
interface Actor {
  readonly share: number
  readonly book: Book
  read: number
  seq: number
  /** Stands in line. */
  waiting: string | undefined
  /** Sent and not yet ended, by id: when the service counts it. */
  readonly sent: Map<string, number>
  isDead: boolean
}

/** One step of one process: which, after how long, and how late the service counts what is sent in it. */
interface Step {
  who: number
  afterMs: number
  act: 'go' | 'end' | 'lose' | 'die'
  wayMs: number
}

/** Plays the steps on one log and returns what arrived at the service. */
function play(shares: readonly number[], steps: readonly Step[], limits: readonly Limit[]) {
  const log: BudgetRecord[] = []
  const arrivals: { at: number; share: number; who: number }[] = []
  let now = 0
  const actors = shares.map(
    (share): Actor => ({
      share,
      book: emptyBook(limits),
      read: 0,
      seq: 0,
      waiting: undefined,
      sent: new Map(),
      isDead: false,
    }),
  )
  for (const { who: pick, afterMs, act, wayMs } of steps) {
    const who = pick % actors.length
    const actor = actors[who]!
    now += afterMs
    if (actor.isDead) {
      // Somebody finds it: what it sent has arrived long since, or will within the time that is granted.
      for (const id of [actor.waiting, ...actor.sent.keys()])
        if (id !== undefined) log.push({ kind: 'end', id, countedAt: now + 50 })
      actor.waiting = undefined
      actor.sent.clear()
      continue
    }
    if (act === 'die') {
      actor.isDead = true
      continue
    }
    const [oldest] = actor.sent
    if (act !== 'go' && oldest !== undefined) {
      const [id, arrival] = oldest
      actor.sent.delete(id)
      // An answer comes after the request; a lost request may arrive as late as is granted.
      const countedAt = act === 'end' ? Math.max(now, arrival) : Math.max(now + 50, arrival)
      log.push({ kind: 'end', id, countedAt })
      continue
    }
    if (actor.waiting === undefined) {
      actor.waiting = `${who}.${actor.seq++}`
      log.push({ kind: 'place', id: actor.waiting, share: actor.share, at: now, pid: who, host: '0' })
      continue
    }
    for (; actor.read < log.length; actor.read++) enter(actor.book, log[actor.read]!, now)
    settle(actor.book, now)
    const place = actor.book.open.get(actor.waiting)!
    if (earliestStart(actor.book, place) > now) continue
    arrivals.push({ at: now + wayMs, share: actor.share, who })
    actor.sent.set(actor.waiting, now + wayMs)
    actor.waiting = undefined
  }
  return arrivals.sort((a, b) => a.at - b.at)
}

const step = fc.record({
  who: fc.nat(4),
  afterMs: fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 40 }) },
    { weight: 1, arbitrary: fc.integer({ min: 40, max: 900 }) },
  ),
  act: fc.oneof(
    { weight: 30, arbitrary: fc.constant('go' as const) },
    { weight: 12, arbitrary: fc.constant('end' as const) },
    { weight: 2, arbitrary: fc.constant('lose' as const) },
    { weight: 1, arbitrary: fc.constant('die' as const) },
  ),
  wayMs: fc.integer({ min: 0, max: 49 }),
})
const steps = fc.array(step, { minLength: 50, maxLength: 600, size: 'max' })

describe('any number of processes, in any order of their steps', () => {
  it('keep the limits together in every sliding window, and each share those that have no larger one', () => {
    let sent = 0
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0.25, 0.6, 1), { minLength: 1, maxLength: 5 }),
        steps,
        (shares, order) => {
          const arrivals = play(shares, order, LIMITS)
          sent += arrivals.length
          for (const level of [...shares, 1])
            for (const { requests, windowMs } of shareOf(LIMITS, level)) {
              const those = arrivals.filter(({ share }) => share <= level).map(({ at }) => at)
              expect(mostInWindow(those, windowMs)).toBeLessThanOrEqual(requests)
            }
        },
      ),
      { numRuns: 400 },
    )
    expect(sent).toBeGreaterThan(4_000)
  })

  it('may go in the order of their places when their shares are equal, so that nobody is left out', () => {
    fc.assert(
      fc.property(steps, (order) => {
        const book = emptyBook(LIMITS)
        let now = 0
        let seq = 0
        for (const { who, afterMs, act } of order) {
          now += afterMs
          const open = [...book.open.values()]
          if (act === 'go' || open.length === 0)
            enter(book, { kind: 'place', id: `x.${seq++}`, share: 1, at: now, pid: who, host: '0' }, now)
          else enter(book, { kind: 'end', id: open[who % open.length]!.id, countedAt: now }, now)
          settle(book, now)
          const starts = [...book.open.values()].map((place) => earliestStart(book, place))
          expect(starts).toEqual(starts.toSorted((a, b) => a - b))
        }
      }),
      { numRuns: 30 },
    )
  })
})

describe('the book', () => {
  const place = (id: string, at: number): BudgetRecord => ({
    kind: 'place',
    id,
    share: 1,
    at,
    pid: 1,
    host: '0',
  })
  const startOf = (book: Book, id: string) => earliestStart(book, book.open.get(id)!)
  const one = [{ requests: 1, windowMs: 100 }]

  it('lets a place that is never ended fill windows until its lifetime is over, and a window longer', () => {
    const book = emptyBook(one)
    enter(book, place('a.1', 0), 0)
    enter(book, place('b.1', LIFETIME_MS - 1), LIFETIME_MS - 1)
    settle(book, LIFETIME_MS - 1)
    expect(startOf(book, 'b.1')).toBe(Number.POSITIVE_INFINITY)
    settle(book, LIFETIME_MS)
    expect(startOf(book, 'b.1')).toBe(LIFETIME_MS + 100)
  })

  it('puts a place that is written again behind those that came meanwhile', () => {
    const book = emptyBook(one)
    for (const id of ['a.1', 'b.1', 'a.1']) enter(book, place(id, 0), 0)
    expect(startOf(book, 'b.1')).toBe(Number.NEGATIVE_INFINITY)
    expect(startOf(book, 'a.1')).toBe(Number.POSITIVE_INFINITY)
  })

  it('takes the earliest time where an end is said more than once', () => {
    const book = emptyBook(one)
    enter(book, place('a.1', 0), 0)
    for (const countedAt of [30, 20, 40]) enter(book, { kind: 'end', id: 'a.1', countedAt }, 50)
    enter(book, place('b.1', 50), 50)
    expect(book.counted).toHaveLength(1)
    expect(startOf(book, 'b.1')).toBe(20 + 100)
  })

  it('passes over what makes no sense: ends twice or of nothing, and times of another boot', () => {
    const book = emptyBook(one)
    enter(book, { kind: 'end', id: 'x.1', countedAt: 5 }, 10)
    enter(book, place('old.1', 10_000_000), 10)
    enter(book, place('a.1', 10), 10)
    enter(book, { kind: 'end', id: 'a.1', countedAt: 9_999_999 }, 10)
    enter(book, { kind: 'end', id: 'a.1', countedAt: 10 }, 10)
    enter(book, place('b.1', 10), 10)
    expect([...book.open.keys()]).toEqual(['b.1'])
    expect(book.counted).toHaveLength(1)
    expect(startOf(book, 'b.1')).toBe(10 + 100)
  })
})
