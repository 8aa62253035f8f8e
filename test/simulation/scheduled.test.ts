import { expect, inject, test } from 'vitest'
import { scheduledNights } from './scheduled/nights.ts'

// Seed 1 syncs at 02:30 and fails for three nights around the end of the month. Seed 2 syncs at 22:00.
test.each(inject('isLarge') ? [1, 2, 3, 4, 5, 6] : [1])(
  'each period has one complete page, and each incident is in exactly one handover (seed %i)',
  async (seed) => {
    const outcome = await scheduledNights({ seed, nights: inject('isLarge') ? 30 : 9 })
    expect(outcome.verdicts).toEqual([])
    expect(outcome.failedSyncs).toBeGreaterThan(1)
    expect(outcome.incidents).toBeGreaterThan(80)
    expect(outcome.handovers).toBeGreaterThan(10)
  },
  1_200_000,
)
