import { expect, test } from 'vitest'
import { defects, simulateWith } from './defects.ts'

/** Judges that see nothing would pass every simulation. */
test.each(defects)(
  'put back: $what',
  async (defect) => {
    const { seed, nights, judge } = defect
    const printed = await simulateWith(defect, ['--seed', String(seed), '--nights', String(nights)])
    const [line = ''] = printed.split('\n')
    const { verdicts } = JSON.parse(line) as { verdicts: { judge: string }[] }
    expect(verdicts.map((one) => one.judge)).toContain(judge)
  },
  600_000,
)
