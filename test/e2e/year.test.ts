import { expect, inject, test } from 'vitest'
import { simulateYear } from '../bench/year-run.ts'

const size = inject('isLarge') ? { nights: 60, incidents: 800 } : { nights: 14, incidents: 300 }

/** The first weeks of what `node dist/bench/year.js` measures, in a company where many incidents change late. */
test('night after night nothing open or recent is stale, and a late change is seen within the sweep', async () => {
  const { rows, slots, reopenedLate } = await simulateYear({ ...size, late: 0.4, seed: 1 })
  expect(reopenedLate).toBeGreaterThan(0)
  const [ours, full, lookback] = rows
  expect(ours).toMatchObject({ strategy: 'faultline', worst: { open: 0, lookback: 0 } })
  expect(ours!.late.changes).toBeGreaterThan(0)
  expect(ours!.late.worstNights).toBeLessThanOrEqual(slots + 1)
  // Everything again is never stale, so the comparison is sound; the lookback alone keeps what it cannot see.
  expect(full!.worst).toEqual({ open: 0, lookback: 0, older: 0 })
  expect(lookback!.worst.lookback).toBe(0)
  expect(lookback!.worst.open).toBeGreaterThan(0)
  expect(lookback!.left).toBeGreaterThan(ours!.worst.older)
}, 600_000)
