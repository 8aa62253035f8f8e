import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** `--mode large` runs the kills on their large worlds. */
    isLarge: boolean
    /** `--mode release` runs all versions, worlds and measurements. `npm run test:large` runs some of them. */
    isRelease: boolean
    /** `npm test` runs the first of several worlds. `npm run test:slow` runs the rest. */
    isFast: boolean
  }
}

/**
 * Left to `npm run test:slow`, so that `npm test` takes minutes. These need a browser, a lake or the real incidents,
 * or are slow. They test whole pages of many worlds, commands as processes, and damaged files.
 */
const SLOW = [
  'test/attacks/{damaged-files,lost-writes,mass-disappearance,private-files,service,sql/memory}.test.ts',
  'test/browser/{explore,pages,pictures}.test.ts',
  'test/cli/{compare,demo-worlds,remove-account}.test.ts',
  'test/cli/{check/run-check,report/site,report/team-names,sql/prompt,start/incident-families}.test.ts',
  'test/e2e/{accounts,deliver,failures,image,key,shared-limits,start,uci498}.test.ts',
  'test/e2e/work/shared-schedule.test.ts',
  'test/explore/{explore,report-lists}.test.ts',
  'test/mcp/{attacks,ends,people,questions,tools,verify}.test.ts',
  'test/render/default-reports.test.ts',
  'test/judge/{attacked-verdicts,dimension-findings,finding-incidents,findings,methodology-rules,months}.test.ts',
  'test/judge/{restated-why,restatement,same-verdicts,samples,team-attribution,twins}.test.ts',
  'test/page/{accounts,all-accounts,all-keys,all-keys-pages,custom-definitions,drawable-columns,evaluate-gates}.test.ts',
  'test/page/{handover,incident-lists,included-reports,inclusion-rules,lead,list-links,lists,odd-period}.test.ts',
  'test/page/{only-open,total-order,uci498,uncovered-periods}.test.ts',
  'test/page/sentences/change-sentences.test.ts',
  'test/report/scope/shift.test.ts',
  'test/sandbox/robustness.test.ts',
  'test/simulation/{scheduled,simulation}.test.ts',
  'test/site/{report-parts,snapshot}.test.ts',
  'test/sql/{accounts,guide,own-folder,uci498}.test.ts',
  'test/sync/{first-opening,membership,privacy,quarantine,sync-accounts}.test.ts',
  'test/definitions/metric-views.test.ts',
  'test/lake/!(same-bytes).test.ts',
  'test/warehouse/file/{foreign-log,publish-to-file}.test.ts',
]
/** `npm test` runs a part of these files (`isFast`), and `npm run test:slow` runs all. */
const SHARED = [
  'test/cli/report/due-reports.test.ts',
  'test/attacks/sql/bounds.test.ts',
  'test/explore/random-filters.test.ts',
  'test/page/timeout.test.ts',
  'test/schedule/loop.test.ts',
  'test/sync/presence.test.ts',
  'test/warehouse/worker/statement-process.test.ts',
]
/** `npm run test:large` runs a part of these files (`isRelease`), and `npm run test:release` runs all. */
const SHARED_WITH_RELEASE = [
  'test/browser/legibility.test.ts',
  'test/sdk/package.test.ts',
  'test/simulation/lake/interleavings.test.ts',
  'test/sql/clients.test.ts',
  'test/lake/same-bytes.test.ts',
]
/** Left to `npm run test:large`, with large worlds of the kills. */
const LARGE = [
  'test/e2e/install.test.ts',
  'test/judge/no-change.test.ts',
  'test/page/included-periods.test.ts',
]
/**
 * `npm test` or `npm run test:slow` runs a part of these files, and `npm run test:release` runs all: worlds and other
 * programs.
 */
const SHARED_FAR = [
  'test/cli/export/dbt.test.ts',
  'test/judge/same-verdicts.test.ts',
  'test/page/odd-worlds.test.ts',
  'test/simulation/{scheduled,simulation}.test.ts',
]
/** Run before a release, and every week. They use other programs, stores and versions. */
const RELEASE = ['test/cli/export/{engines,store}.test.ts', 'test/simulation/{,lake/}defects.test.ts']

/** `npm test` runs the mode `fast`. Without a mode, every file runs, or those that are named. */
const filesOf = (mode: string) => {
  if (mode === 'slow') return { include: [...SLOW, ...SHARED] }
  if (mode === 'large')
    return {
      include: [
        ...LARGE,
        ...SHARED_WITH_RELEASE,
        'test/cli/start/metrics.test.ts',
        'test/e2e/{kill,newcomer}.test.ts',
      ],
    }
  if (mode === 'release')
    return { include: [...RELEASE, ...SHARED_FAR, ...SHARED_WITH_RELEASE, 'test/e2e/newcomer.test.ts'] }
  const others = [...SLOW, ...LARGE, ...RELEASE, ...SHARED_WITH_RELEASE]
  return { include: ['test/**/*.test.ts'], exclude: mode === 'fast' ? others : [] }
}

/** The slowest tests, longest first. They start first, because a slow one that starts last would run alone. */
const LONG = [
  ...['simulation/lake/interleavings', 'e2e/newcomer'],
  ...['lake/same-bytes', 'browser/legibility', 'e2e/kill', 'sdk/package', 'sql/clients'],
  ...[
    'simulation/simulation',
    'e2e/work/shared-schedule',
    'lake/fence',
    'lake/copy',
    'lake/quiet-night',
    'lake/lake',
  ],
  ...['sync/privacy', 'page/only-open', 'cli/demo-worlds', 'lake/maintain-lake'],
  ...['lake/restarts', 'page/odd-worlds', 'browser/pages'],
].map((name) => `/test/${name}.test.ts`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONG.findIndex((name) => moduleId.endsWith(name))
      return place === -1 ? LONG.length : place
    }
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

/** Tests run from the sources. Those that start a process use `dist/`, which `npm test` builds first. */
export default defineConfig(({ mode }) => ({
  test: {
    ...filesOf(mode),
    globalSetup: ['test/support/templates.ts'],
    setupFiles: ['test/support/seed.ts'],
    provide: {
      isLarge: mode === 'large' || mode === 'release',
      isRelease: mode === 'release',
      isFast: mode === 'fast',
    },
    // The timeout is far longer than any test needs on a quiet machine, so that a busy one causes no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // There are more workers than two cores, because many tests wait for limits, retries and processes.
    maxWorkers: mode === 'fast' ? 3 : 4,
    sequence: { sequencer: LongestFirst },
    // Files of one worker share their imports, so no file may leave a change in them.
    isolate: false,
    reporters: ['default', './test/summary.ts'],
  },
}))
