import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** `--mode large`: the kills and the simulated year run on their large worlds. */
    isLarge: boolean
    /** `npm test`: of what runs on several worlds the first ones, the rest is left to `npm run test:slow`. */
    isFast: boolean
  }
}

/**
 * Left to `npm run test:slow`: what needs a browser, Redis, a lake or the real incidents, and what takes most of a minute while faster
 * tests of the same thing stay.
 */
const SLOW = [
  'test/attacks/{flips,lost-writes,mass-disappearance,service,sql/memory}.test.ts',
  'test/browser/{pages,pictures}.test.ts',
  'test/e2e/{accounts,analyst,chaos,crowd,shared-limits,start,uci498,undelivered,work/shared-schedule}.test.ts',
  'test/cli/{remove-account,report/team-names}.test.ts',
  'test/report/{accounts,all-accounts,attacked-verdicts,restated-why,uci498}.test.ts',
  'test/sandbox/robustness.test.ts',
  'test/sql/uci498.test.ts',
  'test/warehouse/lake/!(same-bytes).test.ts',
  'test/sync/{first-opening,half-way-accounts,late-changes,privacy,sync-accounts}.test.ts',
]
/** Of these `npm test` has a share (`isFast`), and `npm run test:slow` all. */
const SHARED = [
  'test/attacks/{damaged-files,sql/bounds}.test.ts',
  'test/render/default-reports.test.ts',
  'test/report/{blame,findings,included-reports,odd-period,odd-worlds,one-rule,only-open}.test.ts',
  'test/report/{same-verdicts,unread,timeout}.test.ts',
  'test/schedule/loop.test.ts',
  'test/sql/truth.test.ts',
  'test/sync/presence.test.ts',
]
/** Left to `npm run test:large`, which has all of these, and large worlds of the kills and the simulated year. */
const LARGE = [
  'test/browser/legibility.test.ts',
  'test/cli/export/{engines,store}.test.ts',
  'test/e2e/{install,work/interrupted}.test.ts',
  'test/report/{no-change,same-bytes}.test.ts',
  'test/sdk/package.test.ts',
  'test/sql/clients.test.ts',
  'test/warehouse/lake/same-bytes.test.ts',
]

/** `npm test` runs the mode `fast`; without a mode every file runs, or those that are named. */
const filesOf = (mode: string) => {
  if (mode === 'slow') return { include: [...SLOW, ...SHARED] }
  if (mode === 'large')
    return {
      include: [...LARGE, 'test/cli/start/metrics.test.ts', 'test/e2e/{kill,newcomer,year}.test.ts'],
    }
  return { include: ['test/**/*.test.ts'], exclude: mode === 'fast' ? [...SLOW, ...LARGE] : [] }
}

/** What mostly waits, and takes longest, begins first, or it would end alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => /\/e2e\/(work\/|newcomer)/.test(moduleId)
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** Tests run from the sources; those that start a process use `dist/`, which `npm test` builds first. */
export default defineConfig(({ mode }) => ({
  test: {
    ...filesOf(mode),
    globalSetup: ['test/support/templates.ts'],
    provide: { isLarge: mode === 'large', isFast: mode === 'fast' },
    // More than any needs on a quiet machine by far: that another is busy is no mistake of the program.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // One more than two cores: many of the tests wait for limits, retries and processes.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Files of one worker share what they import: no file may leave a change behind in it.
    isolate: false,
    reporters: ['default', './test/summary.ts'],
  },
}))
