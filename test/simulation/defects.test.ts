import { expect, test } from 'vitest'
import { defects } from './defects.ts'
import { simulateWith } from './put-back.ts'

/**
 * These tests prove that the judges detect defects. A judge that never reports anything would pass every simulation.
 */
test.each(defects)(
  'the simulation detects a defect that is put back into the program: $what',
  async (defect) => {
    const [line = ''] = (await simulateWith(defect)).split('\n')
    const { verdicts } = JSON.parse(line) as { verdicts: { judge: string }[] }
    expect(verdicts.map((one) => one.judge)).toContain(defect.judge)
  },
  600_000,
)
