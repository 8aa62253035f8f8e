import { describe, expect, test } from 'vitest'
import { defined } from './defined.ts'
import { goals } from './goal-worlds.ts'
import { hanging, hangingCounts } from './verdict-worlds.ts'

// Repeats a small part of test/bench/verdicts.ts. Each bound is the result of that bench plus three standard errors.
const draws = 60
const atMost = (rate: number, of = draws) => rate + 3 * Math.sqrt((rate * (1 - rate)) / of)
const atLeast = (rate: number) => rate - 3 * Math.sqrt((rate * (1 - rate)) / draws)

const { connection } = defined()

describe('autocorrelated weeks and spikes rarely cause a false verdict of change', () => {
  test.each([{ storm: 20 }, { kind: 'minutes' as const }, { kind: 'modes' as const }, { rho: 0.5, sd: 0.2 }])(
    'in durations (spike: $storm, kind: $kind, autocorrelation: $rho)',
    async (world) => {
      const { said, possibly, levelHeld } = await hanging(connection(), {
        ...{ perWeek: 15, weeks: 4, earlier: 12, draws },
        ...world,
      })
      expect(said).toBeLessThan(atMost(0.03))
      expect(said + possibly).toBeLessThan(atMost(0.08))
      expect(levelHeld).toBeGreaterThan(atLeast(0.9))
    },
  )

  test.each(['counts', 'shares', 'trend'] as const)('in %s', async (of) => {
    const world = { of, weeks: 13, earlier: 12, perWeek: 30, rho: 0.5, sd: 0.3, draws: 200 }
    expect((await hangingCounts(connection(), world)).at1).toBeLessThan(atMost(0.05, 200))
  })
})

test.each([8, 20, 60])('an objective that is met is rarely reported as missed (n %d)', async (n) => {
  for (const goal of [0.5, 0.9] as const)
    expect((await goals(connection(), { n, goal, weeks: 13, draws: 100 })).missed).toBeLessThan(
      atMost(0.025, 100),
    )
})

test('doubled durations and a missed objective are usually detected in autocorrelated weeks', async () => {
  const times = { perWeek: 50, times: 2, weeks: 4, earlier: 12, draws }
  expect((await hanging(connection(), times)).at1).toBeGreaterThan(atLeast(0.75))
  const world = { n: 100, goal: 0.9, weeks: 13, draws: 60, below: 1 } as const
  expect((await goals(connection(), world)).missed).toBeGreaterThan(0.9)
})
