import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { planWindows } from '../../src/sync/plan.ts'
import { type DoneWindow, subtract, union, type Window } from '../../src/sync/slice.ts'
import { DAY, epoch, finish, input, length, MONTH, reasonsOf, spansOf } from './planning.ts'

describe('in a series of runs', () => {
  test('a run one night later reads the new day, and rereads the 31 days before the last sync', () => {
    const first = planWindows(input())
    const now = epoch + 401 * DAY
    const slices = planWindows(input({ now, done: finish(first, epoch + 400 * DAY) }))
    expect(spansOf(slices, 'new')).toEqual([{ start: now - DAY, end: now }])
    expect(union(spansOf(slices, 'lookback'))).toEqual([{ start: now - 32 * DAY, end: now - DAY }])
    expect(length(spansOf(slices, 'sweep'))).toBeLessThanOrEqual(30 * DAY)
    expect(reasonsOf(slices)).toEqual(['new', 'lookback', 'sweep', 'reopened'])
    // Everything before the lookback is searched for open records, except the month that the sweep reads.
    const past = { start: epoch, end: now - 32 * DAY }
    expect(union(spansOf(slices, 'reopened'))).toEqual(subtract(past, spansOf(slices, 'sweep')))
    expect(slices.filter((one) => one.onlyOpen).every((one) => one.reason === 'reopened')).toBe(true)
  })

  test('the first run after a pause also rereads the 31 days before the last complete sync', () => {
    const last = epoch + 300 * DAY
    const known = finish(planWindows(input({ now: last })), last)
    const now = last + 56 * DAY
    const again = (done: DoneWindow[], looked = done) =>
      union(spansOf(planWindows(input({ now, done, looked })), 'lookback'))
    expect(again(known)).toEqual([{ start: last - 31 * DAY, end: last }])
    // Syncs of a single week and interrupted syncs do not count as complete.
    const weeks = [10, 20, 30].map((days) => ({
      start: last + (days - 7) * DAY,
      end: last + days * DAY,
      readAt: last + days * DAY,
    }))
    expect(again([...known, ...weeks])[0]!.start).toBe(last - 31 * DAY)
    const broken = { start: last, end: last + 5 * DAY, readAt: last + 5 * DAY }
    expect(again([...known, broken])[0]!.start).toBe(last - 31 * DAY)
    // An unverified window counts as read, so it does not extend the lookback each night.
    const night = { start: last - 32 * DAY, end: last + DAY, readAt: last + DAY }
    const unproven = { start: last - 10 * DAY, end: last - 9 * DAY }
    const proven = subtract(night, [unproven]).map((one) => ({ ...one, readAt: night.readAt }))
    expect(again([...known, ...proven], [...known, night])[0]!.start).toBe(last - 30 * DAY)
  })

  test('the days before a pause are reread even if the first run after the pause was interrupted', () => {
    const last = epoch + 300 * DAY
    const known = finish(planWindows(input({ now: last })), last)
    const now = last + 56 * DAY
    const broken = finish(
      planWindows(input({ now, done: known })).filter(({ reason }) => reason === 'new'),
      now,
    )
    for (const chainStart of [now, null]) {
      const slices = planWindows(input({ now: now + 600, chainStart, done: [...known, ...broken] }))
      expect(subtract({ start: last - 31 * DAY, end: last }, spansOf(slices, 'lookback'))).toEqual([])
    }
  })
})

describe('an interrupted run', () => {
  test('is continued where the second attempt stopped, if that attempt was interrupted too', () => {
    const window = { start: epoch, end: epoch + DAY, reason: 'backfill' as const }
    const slices = planWindows(
      input({
        now: epoch + DAY,
        unfinished: [
          { ...window, cursor: 'later' },
          { ...window, cursor: 'earlier' },
        ],
      }),
    )
    expect(slices.map((one) => [one.window, one.cursor])).toEqual([
      [{ start: epoch, end: epoch + DAY }, 'later'],
    ])
  })

  test('is not continued in a window that the next run finished', () => {
    const window = { start: epoch, end: epoch + DAY }
    const slices = planWindows(
      input({
        now: epoch + DAY,
        chainStart: epoch + DAY - 60,
        unfinished: [{ ...window, reason: 'backfill', cursor: 'x' }],
        done: [{ ...window, readAt: epoch + DAY - 30 }],
      }),
    )
    expect(slices).toEqual([])
  })
})

describe('the nightly sweep', () => {
  test('reads one month a night until it has covered the whole past', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 40, max: 900 }),
        fc.integer({ min: 0, max: 40 }),
        fc.constantFrom(7 * DAY, MONTH),
        (age, lookbackDays, windowSeconds) => {
          const start = epoch + age * DAY
          const night = (count: number) => start + count * DAY
          const settings = { lookbackDays, windowSeconds }
          let known = finish(planWindows(input({ ...settings, now: start })), start)
          const past = { start: epoch, end: Math.max(epoch, start - lookbackDays * DAY) }
          // The first and the last month of the sweep may contain only a day of the past.
          const nights = Math.ceil((past.end - past.start) / (30 * DAY)) + 2
          const swept: Window[] = []
          for (let count = 1; count <= nights; count++) {
            const slices = planWindows(input({ ...settings, now: night(count), done: known }))
            swept.push(...spansOf(slices, 'sweep'))
            expect(length(spansOf(slices, 'sweep'))).toBeLessThan(MONTH)
            known = [...known, ...finish(slices, night(count))]
          }
          expect(subtract(past, swept)).toEqual([])
        },
      ),
      { numRuns: 25 },
    )
  })

  test('reads every month of a sliding year within 13 nights', () => {
    const start = epoch + 400 * DAY
    const YEAR = 365 * DAY
    const night = (count: number) => start + count * DAY + ((count * 977) % 3_600)
    const read: Window[][] = []
    let known: DoneWindow[] = []
    for (let count = 0; count <= 60; count++) {
      const now = night(count)
      const slices = planWindows(input({ now, since: now - YEAR, done: known }))
      read.push(spansOf(slices))
      known = [...known, ...finish(slices, now)]
      const wanted = { start: now - YEAR, end: now }
      if (count >= 13) expect(subtract(wanted, read.slice(-13).flat()), `night ${count}`).toEqual([])
    }
  })

  test('continues past a month that is never verified or always fails', () => {
    const start = epoch + 400 * DAY
    const bad = { start: start - 200 * DAY, end: start - 199 * DAY }
    for (const isRead of [true, false]) {
      const first = start - DAY
      let known = finish(planWindows(input({ now: first })), first)
      let tried = known
      let broken: Window[] = []
      const read: Window[][] = []
      for (let count = 0; count < 30; count++) {
        const now = start + count * DAY
        const unfinished = broken.map((one) => ({ ...one, reason: 'sweep' as const, cursor: null }))
        const chainStart = broken.length > 0 ? now - DAY : null
        const slices = planWindows(input({ now, chainStart, done: known, looked: tried, tried, unfinished }))
        read.push(spansOf(slices))
        const all = finish(slices, now)
        const isBad = (one: Window) => one.start < bad.end && one.end > bad.start
        known = [...known, ...all.filter((one) => !isBad(one))]
        tried = [...tried, ...all]
        broken = isRead ? [] : all.filter(isBad).map(({ start, end }) => ({ start, end }))
      }
      expect(subtract({ start: epoch, end: start }, read.slice(-15).flat()), `read: ${isRead}`).toEqual([])
    }
  })
})

describe('open records', () => {
  test('are requested by id, oldest first, with at most 100 ids per request', () => {
    const many = Array.from({ length: 350 }, (_, index) => ({
      id: index.toString(16).padStart(24, '0'),
      start: epoch + (index % 7) * 50 * DAY + index,
    }))
    const slices = planWindows(
      input({
        done: [{ start: epoch, end: epoch + 400 * DAY, readAt: epoch + 400 * DAY - 1 }],
        stillOpen: many,
      }),
    ).filter((one) => one.reason === 'still-open')
    // The sweep reads one of the seven months in this run, so that month needs no ids.
    expect(slices.flatMap((one) => one.ids!)).toHaveLength(300)
    for (const one of slices) {
      expect(one.ids!.length).toBeLessThanOrEqual(100)
      expect(one.requests).toBe(1)
      const starts = many.filter(({ id }) => one.ids!.includes(id)).map(({ start }) => start)
      expect(Math.min(...starts)).toBe(one.window!.start)
      expect(Math.max(...starts) + 1).toBe(one.window!.end)
    }
  })

  test('are split into requests of 100 ids even if all started at the same time', () => {
    const many = Array.from({ length: 201 }, (_, index) => ({
      id: index.toString(16).padStart(24, '0'),
      start: epoch + 70 * DAY,
    }))
    const slices = planWindows(
      input({
        done: [{ start: epoch, end: epoch + 400 * DAY, readAt: epoch + 400 * DAY - 1 }],
        stillOpen: many,
      }),
    )
    expect(slices.filter((one) => one.ids).map((one) => one.ids!.length)).toEqual([100, 100, 1])
  })
})

test('a resumed run with --full reads everything except windows that it read before the interruption', () => {
  const now = epoch + 400 * DAY
  const everything = [{ start: epoch, end: now, readAt: now - DAY }]
  const open = [{ id: '0'.repeat(24), start: epoch + 1 }]
  const first = planWindows(input({ full: true, done: everything, stillOpen: open }))
  expect(union(spansOf(first))).toEqual([{ start: epoch, end: now }])
  expect(first.every((one) => one.ids === null)).toBe(true)
  const half = finish(first, now).slice(3)
  const second = planWindows(
    input({ full: true, chainStart: now, done: [...everything, ...half], stillOpen: open }),
  )
  expect(length(spansOf(second))).toBe(length(spansOf(first.slice(0, 3))))
})

test('the days of the lookback are split into parallel windows if they contain many rows', () => {
  const now = epoch + 400 * DAY
  const known = [{ start: epoch, end: now, readAt: now - 60 }]
  const of = (rowsADay: number) =>
    spansOf(
      planWindows(input({ done: known, countIn: ({ start, end }) => ((end - start) / DAY) * rowsADay })),
      'lookback',
    )
  expect([0, 10, 100, 10_000].map((rows) => of(rows).length)).toEqual([2, 2, 7, 8])
})
