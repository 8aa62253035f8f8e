import { expect, test } from 'vitest'
import { defects } from './defects.ts'
import { LATER, simulateWith } from './put-back.ts'

/**
 * These tests prove that the judges detect defects. A judge that never reports anything would pass every simulation.
 */
test.each(defects)(
  'the simulation detects a defect that is put back into the program: $what',
  async (defect) => {
    const { seed, nights, judge, without = LATER } = defect
    const size = ['--seed', String(seed), '--nights', String(nights), '--without', without]
    const printed = await simulateWith(defect, size)
    const [line = ''] = printed.split('\n')
    const { verdicts } = JSON.parse(line) as { verdicts: { judge: string }[] }
    expect(verdicts.map((one) => one.judge)).toContain(judge)
  },
  600_000,
)
