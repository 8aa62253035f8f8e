import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cut, subtract, union, type Window } from '../../src/sync/slice.ts'

const window = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }))
  .map(([start, length]): Window => ({ start, end: start + length }))
const windows = fc.array(window, { maxLength: 8 })

/** The seconds that windows cover, from which the tests compute the expected result. */
const secondsOf = (all: readonly Window[]) => {
  const seconds = new Set<number>()
  for (const { start, end } of all) for (let second = start; second < end; second++) seconds.add(second)
  return [...seconds].sort((a, b) => a - b)
}
const isOrdered = (all: readonly Window[]) =>
  all.every((one, index) => one.start < one.end && (all[index + 1]?.start ?? Infinity) > one.end)

describe('union', () => {
  test('merges windows without changing the seconds that the windows cover', () => {
    fc.assert(
      fc.property(windows, (all) => {
        const joined = union(all)
        expect(secondsOf(joined)).toEqual(secondsOf(all))
        expect(isOrdered(joined)).toBe(true)
      }),
    )
  })

  test('does not change its arguments', () => {
    const given = [
      { start: 5, end: 6 },
      { start: 1, end: 5 },
    ]
    expect(union(given)).toEqual([{ start: 1, end: 6 }])
    expect(given[0]).toEqual({ start: 5, end: 6 })
  })
})

test('subtract returns the seconds of a window that no other window contains', () => {
  fc.assert(
    fc.property(window, windows, (whole, parts) => {
      const left = subtract(whole, parts)
      const taken = new Set(secondsOf(parts))
      expect(secondsOf(left)).toEqual(secondsOf([whole]).filter((second) => !taken.has(second)))
      expect(isOrdered(left)).toBe(true)
    }),
  )
})

describe('cut', () => {
  const limits = fc.record({
    maxSeconds: fc.integer({ min: 50, max: 5_000 }),
    minSeconds: fc.integer({ min: 1, max: 5_000 }),
    atLeast: fc.integer({ min: 1, max: 20 }),
  })
  const long = fc
    .tuple(fc.integer({ min: 0, max: 2_000_000_000 }), fc.integer({ min: 1, max: 100_000 }))
    .map(([start, length]) => ({ start, end: start + length }))

  test('divides a window into parts of nearly equal length, without gaps', () => {
    fc.assert(
      fc.property(long, limits, (whole, some) => {
        const parts = cut(whole, some)
        expect(parts[0]!.start).toBe(whole.start)
        expect(parts.at(-1)!.end).toBe(whole.end)
        expect(parts.slice(1).map(({ start }) => start)).toEqual(parts.slice(0, -1).map(({ end }) => end))
        const lengths = parts.map(({ start, end }) => end - start)
        expect(Math.min(...lengths)).toBeGreaterThan(0)
        expect(Math.max(...lengths)).toBeLessThanOrEqual(some.maxSeconds)
        expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('returns the requested number of parts, unless they would be too short', () => {
    fc.assert(
      fc.property(long, limits, (whole, some) => {
        const { length } = cut(whole, some)
        const fewest = Math.ceil((whole.end - whole.start) / some.maxSeconds)
        if (length > fewest)
          expect((whole.end - whole.start) / length).toBeGreaterThanOrEqual(some.minSeconds)
        expect(length).toBeLessThanOrEqual(Math.max(fewest, some.atLeast))
      }),
    )
    expect(cut({ start: 0, end: 80 }, { maxSeconds: 100, minSeconds: 10, atLeast: 8 })).toHaveLength(8)
    expect(cut({ start: 0, end: 79 }, { maxSeconds: 100, minSeconds: 10, atLeast: 8 })).toHaveLength(7)
    expect(cut({ start: 0, end: 801 }, { maxSeconds: 100, minSeconds: 10, atLeast: 8 })).toHaveLength(9)
  })

  test('of an empty window returns no parts', () => {
    expect(cut({ start: 5, end: 5 }, { maxSeconds: 1, minSeconds: 1, atLeast: 8 })).toEqual([])
    expect(cut({ start: 6, end: 5 }, { maxSeconds: 1, minSeconds: 1, atLeast: 8 })).toEqual([])
  })
})
