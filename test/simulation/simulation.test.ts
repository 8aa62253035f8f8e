import { expect, inject, test } from 'vitest'
import { simulate } from './simulate.ts'

/** To try more seeds, run `node dist/simulation/main.js`, which also shrinks a failing simulation. */
const size = inject('isLarge') ? { seeds: [1, 2, 3], nights: 60 } : { seeds: [1], nights: 12 }

// The seeds run one after another, because a judge counts the handles of the process.
test.each(size.seeds)(
  'a simulation of many nights breaks no promise of the program (seed %i)',
  async (seed) => {
    const { verdicts, nights, syncs } = await simulate({ seed, nights: size.nights })
    expect(verdicts).toEqual([])
    expect(nights).toBe(size.nights)
    expect(syncs.ok).toBeGreaterThan(nights / 2)
    // A simulation in which all syncs have the same outcome would prove nothing.
    expect(Object.keys(syncs).length).toBeGreaterThan(1)
  },
  1_200_000,
)
