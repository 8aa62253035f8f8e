/**
 * Measures how often the macros of `sql/` report a change with and without a real change, and how often 95% intervals
 * contain the true value.
 * Usage: `node dist/bench/verdicts.js [DRAWS]`
 * Prints the percentages of samples with a change at the nominal 5% level (`at5`), at the 1% level (`at1`), and with a
 * change that a page shows (`said`), and of intervals that contain the true value (`held`).
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { resources } from '../../dist/resources/index.js'
import { createTables } from '../../dist/warehouse/schema/create.js'
import {
  type Coverage,
  ofCountChanges,
  ofDurationChanges,
  ofLogNormals,
  ofShareChanges,
  ofShares,
  ofSurvival,
  ofTrends,
} from '../sql/coverage-worlds.ts'
import { type EventWorld, told } from '../sql/event-worlds.ts'
import { type Goals, goals } from '../sql/goal-worlds.ts'
import {
  counts,
  dealt,
  hanging,
  hangingCounts,
  independent,
  shares,
  unfinished,
  weekly,
  weeksOfUci498,
} from '../sql/verdict-worlds.ts'

const draws = Number(process.argv[2] ?? 600)
const connection = await (await DuckDBInstance.create(':memory:')).connect()
await createTables(connection, resources)

/** Returns every combination of one value from each list. */
function combined<World extends object>(lists: { readonly [Key in keyof World]: readonly World[Key][] }) {
  return Object.entries<readonly unknown[]>(lists).reduce<object[]>(
    (worlds, [name, values]) =>
      worlds.flatMap((world) => values.map((value) => ({ ...world, [name]: value }))),
    [{}],
  ) as World[]
}

/** Prints a row for each world, with the results in percent below their names. */
async function table<World>(
  title: string,
  worlds: readonly World[],
  resultsOf: (world: World) => Promise<object>,
): Promise<void> {
  console.log(`\n${title}`)
  for (const [place, world] of worlds.entries()) {
    const results = Object.entries(await resultsOf(world)).filter(([name]) => name !== 'draws')
    const line = (head: string, cells: readonly string[]) =>
      console.log(head.padEnd(60) + cells.map((cell) => cell.padStart(11)).join(''))
    if (place === 0)
      line(
        '',
        results.map(([name]) => name),
      )
    line(
      JSON.stringify(world),
      results.map(([, share]) => (Number.isNaN(share) ? '–' : (100 * share).toFixed(1))),
    )
  }
}

// The section "Statistics" of sql/README.md lists the guaranteed rates.
await table(
  'durations in autocorrelated weeks',
  [4, 13].flatMap((weeks) =>
    [
      { perWeek: 15, times: 2 },
      { perWeek: 50, times: 2 },
      { perWeek: 15 },
      { perWeek: 15, kind: 'minutes' },
      { perWeek: 15, kind: 'modes' },
      ...[5, 20, 60].map((storm) => ({ perWeek: 15, storm })),
      ...combined({ perWeek: [50], rho: [0.5, 0.8], sd: [0.2, 0.5] }),
    ].map((world) => ({ weeks, ...world }) as Omit<Parameters<typeof hanging>[1], 'earlier' | 'draws'>),
  ),
  (world) => hanging(connection, { earlier: 12, draws, ...world }),
)
await table(
  'counts, shares and trends of 30 a week in autocorrelated weeks',
  combined({ of: ['counts', 'shares', 'trend'] as const, weeks: [4, 13], rho: [0, 0.5, 0.8] }),
  (world) =>
    hangingCounts(connection, { earlier: 12, perWeek: 30, sd: world.rho === 0 ? 0 : 0.3, draws, ...world }),
)
await table('shares with spikes', combined({ weeks: [4, 13], storm: [5, 20, 60] }), (world) =>
  hangingCounts(connection, { of: 'shares', earlier: 12, perWeek: 15, draws, ...world }),
)
const since: Partial<EventWorld>[] = [
  {},
  { weeks: 4, before: 16 },
  { season: 0.7 },
  { trend: -0.04 },
  { allTimes: 0.5, uneven: true },
  { storm: 20 },
  { storm: 60 },
  { rho: 0.5, sd: 0.2 },
  { rho: 0.5, sd: 0.5 },
  { ownTrend: -0.03 },
  { ownTrend: -0.06 },
  { times: 0.5 },
  { times: 0.5, weeks: 4, before: 16 },
  { times: 0.5, season: 0.7 },
  { times: 0.5, rho: 0.5, sd: 0.2 },
  { kind: 'minutes' },
  { kind: 'modes' },
  { others: 0 },
  { others: 0, trend: -0.04 },
  { others: 0, season: 0.7 },
  { others: 0, times: 0.5 },
]
await table(
  'changes since an event',
  since.flatMap((world) => (['times', 'counts'] as const).map((of) => ({ of, ...world }))),
  (world) => told(connection, { weeks: 8, before: 20, perWeek: 30, others: 7, draws, ...world }),
)
const variations: Partial<Goals>[] = [
  {},
  { rho: 0.5, sd: 0.3 },
  { rho: 0.5, sd: 0.5 },
  { storm: 5 },
  { storm: 20 },
]
await table(
  'objectives that are met exactly',
  variations.flatMap((more) =>
    combined({ goal: [0.5, 0.8, 0.9, 0.95] as const, weeks: [4, 13], n: [8, 12, 20, 50, 200] }).map(
      (world) => ({ ...more, ...world }),
    ),
  ),
  (world) => goals(connection, { draws, ...world }),
)
const sides = [
  { n: 8, before: 8, weeks: 4 },
  { n: 12, before: 12, weeks: 3 },
  { n: 20, before: 20, weeks: 4 },
  { n: 50, before: 50, weeks: 4 },
  { n: 200, before: 200, weeks: 4 },
  { n: 200, before: 200, weeks: 13 },
  { n: 20, before: 200, weeks: 4 },
  { n: 8, before: 100, weeks: 13 },
]
await table(
  'unchanged durations, and durations that halved',
  [...sides, { ...sides[5]!, times: 0.5 }],
  (world) => independent(connection, { draws, ...world }),
)
await table(
  'unchanged durations with open incidents, 30 a week',
  combined({ weeks: [4, 13], medianHours: [1, 8, 24, 72, 144] }),
  (world) => unfinished(connection, { perWeek: 30, draws, ...world }),
)
await table(
  'unchanged counts',
  [
    ...combined({ weeks: [3, 4, 13], phi: [1, 3, 8], perWeek: [0.5, 2, 10, 50, 200], earlier: [0] }),
    ...combined({ weeks: [3, 4, 13], phi: [1, 3, 8], perWeek: [0.5, 10, 200], earlier: [12] }),
  ],
  (world) => counts(connection, { draws, ...world }),
)
await table('doubled counts of 15 a week', combined({ phi: [1, 3], earlier: [0, 12] }), (world) =>
  counts(connection, { perWeek: 15, weeks: 4, times: 2, draws, ...world }),
)
// In this table, `said` is the share of charts with a week outside of the expected range.
await table(
  'charts and trends of unchanged counts',
  combined({ weeks: [13, 26, 52], phi: [1, 3], perWeek: [0.3, 1, 1.9, 10, 50] }),
  (world) => weekly(connection, { draws, ...world }),
)
await table(
  'unchanged shares',
  combined({ weeks: [3, 4, 13], phi: [1, 3], perWeek: [10, 100], share: [0.02, 0.1, 0.5, 0.97] }),
  (world) => shares(connection, { draws, ...world }),
)
await table(
  'a share of 65 instead of 50%',
  [{ perWeek: 100, share: 0.5, phi: 1, weeks: 4, more: 0.15 }],
  (world) => shares(connection, { draws, ...world }),
)
const folder = fileURLToPath(new URL('../../../shared/data/uci498/', import.meta.url))
if (existsSync(folder)) {
  await weeksOfUci498(connection, folder)
  const shorter = { of: 8, times: 0.7 }
  await table(
    'weeks of real incidents in random order, unchanged and 30% shorter',
    [
      { of: 8, weeks: 3 },
      { of: 8, weeks: 4 },
      { ...shorter, weeks: 4, share: 0.033 },
      { ...shorter, weeks: 13, share: 0.0102 },
    ],
    (world) => dealt(connection, { draws: draws / 4, ...world }),
  )
}

const many = draws * 5
const n = [6, 10, 20, 50, 200]
const held = async (coverage: Promise<Coverage>) => ({ held: ((await coverage) ?? Number.NaN) / 100 })
const quantileOf = { median: 0, p90: 1.2815515655446004 }
for (const [name, p] of [
  ['median', 0.5],
  ['p90', 0.9],
] as const)
  await table(`95% interval of the ${name}`, combined({ sd: [1.25], n }), (world) => {
    const truth = (sd: number) => Math.exp(quantileOf[name] * sd)
    return held(
      ofLogNormals(connection, { expression: `quantile_interval(x, ${p})`, truth, draws: many, ...world }),
    )
  })
await table('95% interval of the mean', combined({ sd: [1, 1.25, 1.5], n }), (world) => {
  const truth = (sd: number) => Math.exp((sd * sd) / 2)
  return held(ofLogNormals(connection, { expression: 'mean_interval(x)', truth, draws: many, ...world }))
})
await table('95% interval of a share', combined({ share: [0.1, 0.3, 0.5], n }), (world) =>
  held(ofShares(connection, { draws: many, ...world })),
)
await table(
  '95% interval of the change of a share',
  combined({ before: [0.3, 0.1], now: [0.3], n }),
  (world) => held(ofShareChanges(connection, { draws: many, ...world })),
)
const changes = combined({ weeks: [4, 13], times: [1, 2], n })
await table('95% interval of the ratio of medians', changes, (world) =>
  held(ofDurationChanges(connection, { draws, ...world })),
)
await table('95% interval of the ratio of counts', changes, (world) =>
  held(ofCountChanges(connection, { draws, ...world })),
)
await table('95% interval of the trend over 13 weeks', combined({ n }), (world) =>
  held(ofTrends(connection, { draws, ...world })),
)
await table('95% interval of the share still open (Greenwood)', combined({ n }), (world) =>
  held(ofSurvival(connection, { draws: Math.min(draws, 300), ...world })),
)
