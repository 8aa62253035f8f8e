import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** `--mode large` runs larger scenarios, more repetitions and more kills. */
    isLarge: boolean
    /** `--mode release` runs all versions, scenarios and measurements. `npm run test:large` runs some of them. */
    isRelease: boolean
    /** `npm test` runs only some scenarios of these tests. `npm run test:slow` runs the rest. */
    isFast: boolean
  }
}

/**
 * Files that only `npm run test:slow` runs, so that `npm test` takes three minutes. They need a browser, a lake or the
 * real incidents, or they are slow.
 */
const SLOW = [
  'test/attacks/{addresses,network,reports-folder,service,sql/texts}.test.ts',
  'test/browser/{pages,pictures}.test.ts',
  'test/cli/{compare,remove-account,schema-text}.test.ts',
  'test/cli/check/{check-custom-definitions,check-privacy,foreign-log,run-check}.test.ts',
  'test/cli/export/{dbt,export-warehouse,exported-tables,folder}.test.ts',
  'test/cli/{init/terminal,quarantine/run-quarantine,sync/plan-text}.test.ts',
  'test/cli/report/{due-handover,site}.test.ts',
  'test/cli/{sql/prompt,start/incident-families,start/last-run}.test.ts',
  'test/definitions/metric-views.test.ts',
  'test/delivery/{lone-page,print-page}.test.ts',
  'test/e2e/{accounts,commands,deliver,demo,failures,key,prepare,scale,shared-limits,uci498}.test.ts',
  'test/explore/{explore,report-lists}.test.ts',
  'test/lake/!(copy|fence|maintain-lake|quiet-night|restarts|same-bytes).test.ts',
  'test/mcp/{attacks,people,questions,silent-team,tools,verify}.test.ts',
  'test/render/{default-reports,charts/recipe}.test.ts',
  'test/judge/{attacked-verdicts,cause-since,dimension-findings,finding-incidents}.test.ts',
  'test/judge/{finding-rates,methodology-rules,months}.test.ts',
  'test/judge/{moved-channel,restated-why,restatement,samples}.test.ts',
  'test/judge/{silent-integration,silent-month,twins,usual-level}.test.ts',
  'test/page/{accounts,all-accounts,all-keys,all-keys-pages,common-objectives,custom-definitions}.test.ts',
  'test/page/{drawable-columns,evaluate-gates,handover,incident-lists,included-reports,inclusion-rules}.test.ts',
  'test/page/{lead,lists,named-people,odd-period,only-open,team-overview,total-order,uncovered-periods}.test.ts',
  'test/page/{write-report-files,sentences/change-sentences}.test.ts',
  'test/report/{measures,metrics,recipes,scope/policies,scope/report-filters,scope/shift}.test.ts',
  'test/sandbox/{robustness,world/late-change,world/lessons}.test.ts',
  'test/schedule/died-jobs.test.ts',
  'test/sdk/{readme,sdk}.test.ts',
  'test/simulation/simulation.test.ts',
  'test/site/report-parts.test.ts',
  'test/sql/{accounts,autocorrelated-weeks,event-changes,guide,own-folder,uci498,verdicts}.test.ts',
  'test/sync/{accept-unread,cached-answers,edges,membership,privacy}.test.ts',
  'test/sync/{quarantine,rejected-beside-missing,reopened,run-sync-killed,sync-accounts}.test.ts',
  'test/warehouse/{two-writers,warehouse}.test.ts',
  'test/warehouse/file/{odd-paths,private,publish-to-file,published-file}.test.ts',
  'test/warehouse/{read/session-definitions,schema/create,schema/migrations}.test.ts',
]
/** `npm test` runs a part of these (`isFast`), and `npm run test:slow` all. */
const SHARED = ['test/page/contradictions.test.ts', 'test/schedule/loop.test.ts', 'test/sql/metrics.test.ts']
/** `npm run test:slow` runs a part of these, and `npm run test:large` all (`isLarge`). */
const SHARED_WITH_LARGE = [
  'test/attacks/{lost-writes,sql/bounds}.test.ts',
  'test/browser/explore.test.ts',
  'test/cli/report/due-reports.test.ts',
  'test/e2e/kill.test.ts',
  'test/explore/random-filters.test.ts',
  'test/judge/{findings,team-attribution}.test.ts',
  'test/page/{list-links,timeout}.test.ts',
  'test/sync/presence.test.ts',
  'test/warehouse/worker/statement-process.test.ts',
]
/** `npm run test:large` runs only some tests of these files (see `isRelease`). `npm run test:release` runs all. */
const SHARED_WITH_RELEASE = [
  'test/browser/legibility.test.ts',
  'test/sdk/package.test.ts',
  'test/simulation/lake/interleavings.test.ts',
  'test/sql/clients.test.ts',
  'test/lake/same-bytes.test.ts',
]
/** Files that only `npm run test:large` runs. */
const LARGE = [
  // Damage by machines, disks and other programs
  'test/attacks/{clock-skew,damaged-files,machine,mass-disappearance,private-files}.test.ts',
  'test/attacks/{restore-command,sql/memory,sql/spill}.test.ts',
  'test/cli/demo-worlds.test.ts',
  'test/e2e/{image,install,start,work/shared-schedule}.test.ts',
  'test/judge/same-verdicts.test.ts',
  'test/lake/{copy,fence,maintain-lake,quiet-night,restarts}.test.ts',
  'test/mcp/ends.test.ts',
  'test/page/included-periods.test.ts',
  'test/sync/first-opening.test.ts',
  'test/warehouse/file/foreign-log.test.ts',
]
/** `npm run test:release` runs all scenarios of these files. `npm test` or `npm run test:slow` runs a part. */
const SHARED_FAR = [
  'test/cli/export/dbt.test.ts',
  'test/judge/{finding-rates,same-verdicts}.test.ts',
  'test/page/contradictions.test.ts',
  'test/simulation/simulation.test.ts',
]
/** Files that run before a release and every week. They use other programs, stores and versions. */
const RELEASE = ['test/cli/export/{engines,store}.test.ts', 'test/simulation/{,lake/}defects.test.ts']

/** `npm test` runs the mode `fast`. Without a mode, every file runs, or those that are named. */
const filesOf = (mode: string) => {
  const newcomer = 'test/e2e/newcomer.test.ts'
  if (mode === 'slow') return { include: [...SLOW, ...SHARED, ...SHARED_WITH_LARGE, newcomer] }
  const far = [...SHARED_WITH_RELEASE, newcomer]
  if (mode === 'large') return { include: [...LARGE, ...SHARED_WITH_LARGE, ...far] }
  if (mode === 'release') return { include: [...RELEASE, ...SHARED_FAR, ...far] }
  const others = [...SLOW, ...SHARED_WITH_LARGE, ...LARGE, ...RELEASE, ...SHARED_WITH_RELEASE]
  return { include: ['test/**/*.test.ts'], exclude: mode === 'fast' ? others : [] }
}

/** The slowest test files, longest first. A slow file that started last would run alone at the end. */
const LONG = [
  ...['simulation/lake/interleavings', 'judge/finding-rates', 'page/contradictions', 'e2e/newcomer'],
  ...['lake/same-bytes', 'browser/legibility', 'e2e/kill', 'sdk/package', 'sql/clients', 'judge/findings'],
  ...['simulation/simulation', 'e2e/work/shared-schedule', 'lake/fence', 'lake/copy', 'lake/quiet-night'],
  ...['browser/pages', 'lake/lake', 'site/report-parts', 'render/default-reports', 'browser/explore'],
  ...['sync/privacy', 'page/only-open', 'cli/demo-worlds', 'lake/maintain-lake', 'lake/restarts'],
  ...['schedule/loop', 'lake/published-lake', 'e2e/key', 'browser/pictures', 'cli/check/run-check'],
  ...['page/list-links', 'e2e/demo', 'judge/cause-since', 'lake/roles', 'warehouse/file/published-file'],
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
    // The timeout is far longer than any test needs on a quiet machine, so that no test fails on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // There are more workers than two cores, because many tests wait for limits, retries and processes.
    maxWorkers: mode === 'fast' ? 3 : 5,
    sequence: { sequencer: LongestFirst },
    // Files of one worker share their imports, so no file may leave a change in them.
    isolate: false,
    reporters: ['default', './test/summary.ts'],
  },
}))
