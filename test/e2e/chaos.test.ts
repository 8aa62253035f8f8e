import { expect, inject, test } from 'vitest'
import { chaosRun } from '../bench/chaos-run.ts'

/**
 * Runs of `node dist/bench/chaos.js`: those of odd seeds have a clock that moves. `npm run test:large` has the first by its
 * command, in newcomer.test.ts. One that fails is repeated with `node dist/bench/chaos.js 1 --seed SEED`.
 */
test.concurrent.each(inject('isLarge') ? [2, 3, 4] : [1])(
  'killed and started again under every fault, the warehouse equals the service (seed %i)',
  async (seed) => {
    const { problems, kills, looks } = await chaosRun(seed)
    expect(problems).toEqual([])
    expect(kills.length).toBeGreaterThan(0)
    expect(looks).toBeGreaterThan(0)
  },
  600_000,
)
