import { expect, test } from 'vitest'
import { chaosRun } from '../bench/chaos-run.ts'

/**
 * Two of the runs of `node dist/bench/chaos.js`: a clock that stands and one that moves. One that fails is repeated with `node dist/bench/chaos.js 1 --seed SEED`.
 */
test.concurrent.each([1, 2])(
  'killed and started again under every fault, the warehouse equals the service (seed %i)',
  async (seed) => {
    const { problems, kills, looks } = await chaosRun(seed)
    expect(problems).toEqual([])
    expect(kills.length).toBeGreaterThan(0)
    expect(looks).toBeGreaterThan(0)
  },
  180_000,
)
