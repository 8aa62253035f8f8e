import { describe, expect, test } from 'vitest'
import { uci498 } from '../support/warehouse.ts'
import { defined } from './defined.ts'
import { counts, dealt, independent, shares, unfinished, weekly, weeksOfUci498 } from './verdict-worlds.ts'

// Repeats a small part of test/bench/verdicts.ts. The bound is the nominal rate plus three standard errors.
const draws = 120
const atMost = (rate: number) => rate + 3 * Math.sqrt((rate * (1 - rate)) / draws)

const { connection } = defined()

describe('unchanged data rarely leads to a verdict of change', () => {
  test.each([
    { n: 8, before: 8, weeks: 4 },
    { n: 20, before: 90, weeks: 4 },
    { n: 60, before: 60, weeks: 13 },
  ])('for durations of $n incidents compared with $before over $weeks weeks', async (world) => {
    const { at5, said } = await independent(connection(), { ...world, draws })
    expect(at5).toBeLessThan(atMost(0.065))
    expect(said).toBeLessThan(atMost(0.02))
  })

  test.each([1, 24, 144])('for durations with many open incidents, median %d h', async (medianHours) => {
    const { at5, said } = await unfinished(connection(), { perWeek: 25, weeks: 4, medianHours, draws })
    expect(at5).toBeLessThan(atMost(0.07))
    expect(said).toBeLessThan(atMost(0.02))
  })

  test.each([
    { perWeek: 0.5, phi: 1, weeks: 4 },
    { perWeek: 20, phi: 8, weeks: 4 },
    { perWeek: 5, phi: 3, weeks: 13 },
  ])('for counts of $perWeek a week with dispersion $phi over $weeks weeks', async (world) => {
    const { at5, said } = await counts(connection(), { ...world, draws })
    expect(at5).toBeLessThan(atMost(0.07))
    expect(said).toBeLessThan(atMost(0.025))
  })

  test.each([
    { perWeek: 10, share: 0.1, phi: 3, weeks: 13 },
    { perWeek: 100, share: 0.97, phi: 1, weeks: 4 },
    { perWeek: 100, share: 0.5, phi: 3, weeks: 3 },
  ])('for shares of $share among $perWeek a week with dispersion $phi over $weeks weeks', async (world) => {
    const { at5, said } = await shares(connection(), { ...world, draws })
    expect(at5).toBeLessThan(atMost(0.07))
    expect(said).toBeLessThan(atMost(0.025))
  })
})

test('control charts of rare counts seldom mark a week or a trend', async () => {
  for (const perWeek of [0.5, 1.5]) {
    const { at5, said } = await weekly(connection(), { perWeek, phi: 1, weeks: 26, draws })
    expect(at5).toBeLessThan(atMost(0.05))
    expect(said).toBeLessThan(atMost(0.01))
  }
})

test('halved durations, doubled counts and increased shares are usually detected', async () => {
  const third = await independent(connection(), { n: 200, before: 200, weeks: 13, times: 0.5, draws })
  expect(third.said).toBeGreaterThan(0.85)
  const twice = await counts(connection(), { perWeek: 15, phi: 1, weeks: 4, times: 2, draws })
  expect(twice.at5).toBeGreaterThan(0.9)
  const risen = await shares(connection(), { perWeek: 100, share: 0.5, phi: 1, weeks: 4, more: 0.15, draws })
  expect(risen.at5).toBeGreaterThan(0.85)
})

test.skipIf(uci498 === null)(
  'weeks of real incidents in random order rarely show a change',
  async () => {
    await weeksOfUci498(connection(), uci498!)
    const { at5, said } = await dealt(connection(), { weeks: 4, of: 8, share: 0.2, draws: 60 })
    expect(at5).toBeLessThan(0.2)
    expect(said).toBeLessThan(0.1)
  },
  300_000,
)
