import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { operations } from '../../src/contract/index.ts'
import { type OpenWindow, type PlanInput, planWindows } from '../../src/sync/plan.ts'
import { type DoneWindow, type Reason, type Slice, subtract, union } from '../../src/sync/slice.ts'
import { DAY, epoch, finish, input, length, MONTH, requestOf, spansOf } from './planning.ts'

const moment = fc.integer({ min: epoch - 20 * DAY, max: epoch + 410 * DAY })
const window = fc
  .tuple(moment, fc.integer({ min: 1, max: 60 * DAY }))
  .map(([start, size]) => ({ start, end: start + size }))
const done: fc.Arbitrary<DoneWindow> = fc
  .tuple(window, moment)
  .map(([window, readAt]) => ({ ...window, readAt }))
const reasons: fc.Arbitrary<Reason> = fc.constantFrom('backfill', 'new', 'lookback', 'sweep')
/** Windows begun by earlier runs, each shorter than the limit of the service. */
const unfinished: fc.Arbitrary<OpenWindow> = fc
  .tuple(moment, fc.integer({ min: 1, max: MONTH - 1 }), reasons, fc.option(fc.string({ minLength: 1 })))
  .map(([start, size, reason, cursor]) => ({ start, end: start + size, reason, cursor }))
const stillOpen = fc.uniqueArray(
  fc.record({
    id: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 24, maxLength: 24 }),
    start: moment,
  }),
  { selector: (one) => one.id, maxLength: 40 },
)

/** Any state of the ledger that earlier runs may have left. */
const anyInput = fc
  .record({
    now: fc.integer({ min: epoch + 1, max: epoch + 400 * DAY }),
    until: fc.option(moment, { nil: undefined }),
    lookbackDays: fc.integer({ min: 0, max: 60 }),
    windowSeconds: fc.constantFrom(7 * DAY, 20 * DAY + 1, MONTH, 90 * DAY),
    full: fc.boolean(),
    chainHours: fc.option(fc.integer({ min: 0, max: 6 })),
    done: fc.array(done, { maxLength: 8 }),
    unfinished: fc.array(unfinished, { maxLength: 4 }),
    stillOpen,
    density: fc.constantFrom(0, 1, 2_000),
  })
  .map(({ chainHours, density, until, ...rest }) =>
    input({
      ...rest,
      ...(until === undefined ? {} : { until }),
      chainStart: chainHours === null ? null : rest.now - chainHours * 3_600,
      countIn: ({ start, end }) => ((end - start) / DAY) * density,
    }),
  )

/** The windows already read by the runs that this run continues. */
const freshOf = ({ done, chainStart }: PlanInput) =>
  done.filter(({ readAt }) => chainStart !== null && readAt >= chainStart)

describe('whichever windows were read before,', () => {
  const always = (property: (given: PlanInput, slices: Slice[]) => void) =>
    fc.assert(
      fc.property(anyInput, (given) => property(given, planWindows(given))),
      { numRuns: 300 },
    )

  test('every requested second either was read before or is read now', () => {
    always((given, slices) => {
      const wanted = { start: given.since, end: Math.min(given.now, given.until ?? given.now) }
      const before = given.full ? freshOf(given) : given.done
      if (wanted.end > wanted.start) expect(subtract(wanted, [...before, ...spansOf(slices)])).toEqual([])
      else expect(spansOf(slices)).toEqual([])
    })
  })

  test('at least the open records of every requested second are read', () => {
    always((given, slices) => {
      const wanted = { start: given.since, end: Math.min(given.now, given.until ?? given.now) }
      const asked = [...freshOf(given), ...spansOf(slices), ...spansOf(slices, 'reopened')]
      if (wanted.end > wanted.start) expect(subtract(wanted, asked)).toEqual([])
    })
  })

  test('the days of the lookback either were read since the run began or are read now', () => {
    always((given, slices) => {
      const until = Math.min(given.now, given.until ?? given.now)
      const last = { start: Math.max(given.since, until - given.lookbackDays * DAY), end: until }
      const fresh = freshOf(given)
      if (last.end > last.start) expect(subtract(last, [...fresh, ...spansOf(slices)])).toEqual([])
    })
  })

  test('the plan contains no second and no id twice', () => {
    always((_, slices) => {
      expect(length(spansOf(slices))).toBe(length(union(spansOf(slices))))
      const ids = slices.flatMap((one) => one.ids ?? [])
      expect(new Set(ids).size).toBe(ids.length)
    })
  })

  test('every planned request is valid for the service and shorter than 31 days', () => {
    always((given, slices) => {
      for (const one of slices) {
        expect(
          operations['incident/list'].request.safeParse(requestOf(one)).error,
          JSON.stringify(one),
        ).toBeUndefined()
        const size = one.window!.end - one.window!.start
        const { start_time, end_time } = requestOf(one)
        expect(end_time - start_time).toBeLessThan(MONTH)
        const resumed = given.unfinished.some(
          ({ start, end }) => start === one.window!.start && end === one.window!.end,
        )
        if (one.ids === null && !resumed) expect(size).toBeLessThanOrEqual(given.windowSeconds)
        expect(one.requests).toBeGreaterThanOrEqual(1)
      }
    })
  })

  test('planned windows that no earlier run has begun are adjacent, without gaps or overlaps', () => {
    always((_, slices) => {
      const parts = spansOf(slices, 'new', 'backfill', 'lookback')
      for (const whole of union(parts)) {
        const inside = parts
          .filter(({ start, end }) => start >= whole.start && end <= whole.end)
          .sort((a, b) => a.start - b.start)
        expect(inside[0]!.start).toBe(whole.start)
        for (let index = 1; index < inside.length; index++)
          expect(inside[index]!.start).toBe(inside[index - 1]!.end)
      }
    })
  })

  test('every stored open record is read by its id or in a window, whatever its age', () => {
    always((given, slices) => {
      const until = Math.min(given.now, given.until ?? given.now)
      const asked = new Set(slices.flatMap((one) => one.ids ?? []))
      const fresh = freshOf(given)
      for (const { id, start } of given.stillOpen) {
        if (start >= until) expect(asked.has(id)).toBe(false)
        else {
          const inWindow = [...fresh, ...spansOf(slices)].some((one) => start >= one.start && start < one.end)
          expect(asked.has(id), `${start}`).toBe(!inWindow)
        }
      }
    })
  })

  test('a window that was begun continues at its cursor, but only once', () => {
    always((given, slices) => {
      const cursors = slices.filter((one) => one.cursor !== null)
      for (const one of cursors) {
        const first = given.unfinished.find(
          ({ start, end, reason }) =>
            start === one.window!.start && end === one.window!.end && reason !== 'lookback',
        )
        expect(one).toMatchObject({ cursor: first?.cursor, reason: first?.reason })
      }
    })
  })
})

test('a run one second after a completed run plans at most one new second, and resumes no cursor', () => {
  fc.assert(
    fc.property(anyInput, (given) => {
      fc.pre(given.until === undefined || given.until >= given.now)
      const first = planWindows({ ...given, unfinished: [] })
      const now = given.now + 1
      const done = [...given.done, ...finish(first, given.now)]
      const state = { done, looked: done, unfinished: [] }
      const second = planWindows({ ...given, ...state, full: false, now, chainStart: null })
      expect(length(spansOf(second, 'new', 'backfill'))).toBeLessThanOrEqual(1)
      expect(second.every((one) => one.cursor === null)).toBe(true)
    }),
  )
})
