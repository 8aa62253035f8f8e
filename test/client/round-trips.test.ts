import { describe, expect, it } from 'vitest'
import { createRoundTrips, ENOUGH_ANSWERS, SLACK_MS } from '../../src/client/round-trips.ts'

function leastAfter(times: readonly number[], reused = true): number {
  const trips = createRoundTrips()
  for (const ms of times) trips.add(ms, reused)
  return trips.leastMs()
}
const fill = (count: number, timeOf: (index: number) => number) =>
  Array.from({ length: count }, (_, k) => timeOf(k))

describe('what is certain of a round trip', () => {
  it('is nothing before enough answers were seen', () => {
    expect(leastAfter(fill(ENOUGH_ANSWERS - 1, () => 150))).toBe(0)
    expect(leastAfter(fill(ENOUGH_ANSWERS, () => 150))).toBe(150 - SLACK_MS)
  })

  it('is nothing while every answer came over a connection of its own', () => {
    expect(
      leastAfter(
        fill(500, () => 150),
        false,
      ),
    ).toBe(0)
  })

  it('is nearly all of it where round trips hardly differ, and half of the fastest where they do', () => {
    expect(leastAfter(fill(200, (k) => 150 + (k % 5)))).toBe(150 - 2 - SLACK_MS)
    expect(leastAfter(fill(200, (k) => 100 + (k % 201)))).toBe(50 - SLACK_MS)
  })

  it('follows the fastest at once, also one that is faster than all before', () => {
    expect(leastAfter([...fill(200, () => 150), 20])).toBe(10 - SLACK_MS)
  })

  it('is never less than nothing', () => {
    expect(leastAfter(fill(200, () => SLACK_MS / 2))).toBe(0)
  })

  it('does not mind a few that were held up', () => {
    expect(leastAfter(fill(200, (k) => (k % 10 === 0 ? 5_000 : 150)))).toBe(150 - SLACK_MS)
  })
})
