import { expect, inject, test } from 'vitest'
import { simulate } from './simulate.ts'

/** `node dist/simulation/main.js` has more seeds; one that fails is repeated and shrunk with it. */
const size = inject('isLarge') ? { seeds: [1, 2, 3], nights: 60 } : { seeds: [1], nights: 12 }

// One after the other: a judge counts the handles of the process.
test.each(size.seeds)(
  'no judge has a word to say, night after night (seed %i)',
  async (seed) => {
    const { verdicts, nights, syncs } = await simulate({ seed, nights: size.nights })
    expect(verdicts).toEqual([])
    expect(nights).toBe(size.nights)
    expect(syncs.ok).toBeGreaterThan(nights / 2)
    // A world without trouble would prove nothing.
    expect(Object.keys(syncs).length).toBeGreaterThan(1)
  },
  1_200_000,
)
