import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ListQuery, listIncidents } from '../../../src/sandbox/store/list-incidents.ts'
import type { Incidents } from '../../../src/sandbox/store/world.ts'

const idOf = (index: number) => index.toString(16).padStart(24, '0')

/** Incidents that start at the given times (ascending). The `hidden` ones no longer exist. */
function setOf(starts: readonly number[], hidden: ReadonlySet<number>): Incidents {
  const unused = () => {
    throw new Error('not asked for')
  }
  return {
    count: () => starts.length,
    startOf: (index) => starts[index]!,
    idOf,
    isListed: (index) => !hidden.has(index),
    isClosedForGood: unused,
    find: (id) => (Number.parseInt(id, 16) < starts.length ? Number.parseInt(id, 16) : undefined),
    record: unused,
    json: unused,
  }
}

/** The expected page, by sorting and slicing. */
function naive(starts: readonly number[], hidden: ReadonlySet<number>, query: ListQuery) {
  const all = starts
    .map((start, index) => ({ start, index }))
    .filter(({ start, index }) => start >= query.startTime && start < query.endTime && !hidden.has(index))
    .filter(({ index }) => query.incidentIds === undefined || query.incidentIds.includes(idOf(index)))
  const ordered = query.asc ? all : all.toReversed()
  const { from } = query
  const rest =
    'skip' in from
      ? ordered.slice(from.skip)
      : ordered.filter(({ start, index }) => {
          const { startTime, incidentId } = from.after
          if (start !== startTime) return query.asc ? start > startTime : start < startTime
          return query.asc ? idOf(index) > incidentId : idOf(index) < incidentId
        })
  return {
    indexes: rest.slice(0, query.limit).map(({ index }) => index),
    total: Math.min(1_000, all.length),
    hasNext: rest.length > query.limit,
  }
}

test('a page of incident/list equals a slice of the sorted incidents', () => {
  const world = fc
    .record({
      size: fc.oneof(fc.nat(40), fc.integer({ min: 1_500, max: 2_600 })),
      gap: fc.constantFrom(0.2, 1, 3),
      holes: fc.nat(4),
    })
    .map(({ size, gap, holes }) => ({
      starts: Array.from({ length: size }, (_, k) => Math.floor(k * gap)),
      hidden: new Set(Array.from({ length: size }, (_, k) => k).filter((k) => (k * 7_919) % 10 < holes)),
    }))
  const place = fc.oneof(fc.nat(50), fc.integer({ min: 1_000, max: 2_700 }))
  const arbitrary = world.chain(({ starts, hidden }) =>
    fc.tuple(
      fc.constant({ starts, hidden }),
      fc.record({
        startTime: fc.nat(200),
        endTime: fc.oneof(
          fc.constant(9_000),
          place.map((index) => starts[index] ?? index),
        ),
        asc: fc.boolean(),
        tests: fc.constant([]),
        onlyOpen: fc.constant(false),
        limit: fc.integer({ min: 1, max: 100 }),
        incidentIds: fc.oneof(
          { weight: 3, arbitrary: fc.constant(undefined) },
          { weight: 1, arbitrary: fc.array(place.map(idOf), { maxLength: 60 }) },
        ),
        from: fc.oneof(
          fc.record({ skip: fc.nat(2_000) }),
          place.map((index) => ({ after: { startTime: starts[index] ?? index, incidentId: idOf(index) } })),
        ),
      }),
    ),
  )
  fc.assert(
    fc.property(arbitrary, ([{ starts, hidden }, query]) => {
      expect(listIncidents(setOf(starts, hidden), query)).toEqual(naive(starts, hidden, query))
    }),
    { numRuns: 1_500 },
  )
})
