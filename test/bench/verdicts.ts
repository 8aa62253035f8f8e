/**
 * Measures how often the macros of `sql/` report a change with and without a real change, and how often 95% intervals
 * contain the true value.
 * Usage: `node dist/bench/verdicts.js [DRAWS]`
 * Prints the percentages of samples with a change at the nominal 5% level, at the 1% level, and with a change that a
 * page shows.
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
import { told } from '../sql/event-worlds.ts'
import { goals } from '../sql/goal-worlds.ts'
import {
  type Alarms,
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

function show(world: string, { at5, at1, said }: Alarms) {
  const percent = (share: number) => (100 * share).toFixed(1).padStart(6)
  console.log(`${world.padEnd(60)}${percent(at5)}${percent(at1)}${percent(said)}`)
}

// The section "Statistics" of sql/README.md lists the guaranteed rates.
console.log(`${'weeks that hang together'.padEnd(60)}  at 5  at 1  said  poss ratio level`)
for (const weeks of [4, 13])
  for (const world of [
    { perWeek: 15, times: 2 },
    { perWeek: 50, times: 2 },
    { perWeek: 15 },
    { perWeek: 15, kind: 'minutes' },
    { perWeek: 15, kind: 'modes' },
    ...[5, 20, 60].map((storm) => ({ perWeek: 15, storm })),
    ...[0.5, 0.8].flatMap((rho) => [0.2, 0.5].map((sd) => ({ perWeek: 50, rho, sd }))),
  ] as const) {
    const { at5, at1, said, possibly, ratioHeld, levelHeld } = await hanging(connection, {
      ...{ weeks, earlier: 12, draws },
      ...world,
    })
    const told = [at5, at1, said, possibly, ratioHeld, levelHeld].map((one) =>
      (100 * one).toFixed(1).padStart(6),
    )
    console.log(`${`times, ${weeks} weeks, ${JSON.stringify(world)}`.padEnd(60)}${told.join('')}`)
  }
for (const of of ['counts', 'shares', 'trend'] as const)
  for (const weeks of [4, 13])
    for (const [rho, sd] of [
      [0, 0],
      [0.5, 0.3],
      [0.8, 0.3],
    ] as const)
      show(
        `${of}, ${weeks} weeks, 30 a week, rho ${rho}`,
        await hangingCounts(connection, { of, weeks, earlier: 12, perWeek: 30, rho, sd, draws }),
      )
for (const weeks of [4, 13])
  for (const storm of [5, 20, 60])
    show(
      `shares, ${weeks} weeks, 15 a week, storms of ${storm}`,
      await hangingCounts(connection, { of: 'shares', weeks, earlier: 12, perWeek: 15, storm, draws }),
    )
console.log(`\n${'since an event'.padEnd(60)}  at 1  said  poss trend ratio`)
for (const world of [
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
] as const)
  for (const of of ['times', 'counts'] as const) {
    const usual = { weeks: 8, before: 20, perWeek: 30, others: 7, draws }
    const { at1, colored, possibly, trend, held } = await told(connection, { of, ...usual, ...world })
    const shares = [at1, colored, possibly, trend, held].map((one) => (100 * one).toFixed(1).padStart(6))
    console.log(`${`${of}, ${JSON.stringify(world)}`.padEnd(60)}${shares.join('')}`)
  }
console.log(
  `\n${'goals kept exactly: called missed (met), n'.padEnd(44)}    8         12        20        50        200`,
)
for (const weeks of [4, 13])
  for (const goal of [0.5, 0.8, 0.9, 0.95] as const)
    for (const more of [{}, { rho: 0.5, sd: 0.3 }, { rho: 0.5, sd: 0.5 }, { storm: 5 }, { storm: 20 }]) {
      let line = `goal ${goal}, ${weeks} weeks, ${JSON.stringify(more)}`.padEnd(44)
      for (const n of [8, 12, 20, 50, 200]) {
        const { missed, met } = await goals(connection, { weeks, n, goal, draws, ...more })
        line += `${(100 * missed).toFixed(1).padStart(5)}${`(${(100 * met).toFixed(1)})`.padEnd(6)}`
      }
      console.log(line)
    }
console.log(`\n${'world'.padEnd(60)}  at 5  at 1  said`)
for (const [n, before, weeks] of [
  [8, 8, 4],
  [12, 12, 3],
  [20, 20, 4],
  [50, 50, 4],
  [200, 200, 4],
  [200, 200, 13],
  [20, 200, 4],
  [8, 100, 13],
] as const)
  show(
    `no change, ${n} and ${before} over ${weeks} weeks`,
    await independent(connection, { n, before, weeks, draws }),
  )
for (const weeks of [4, 13])
  for (const medianHours of [1, 8, 24, 72, 144])
    show(
      `no change, median ${medianHours} h, open ones, ${weeks} weeks`,
      await unfinished(connection, { perWeek: 30, weeks, medianHours, draws }),
    )
for (const weeks of [3, 4, 13])
  for (const phi of [1, 3, 8])
    for (const perWeek of [0.5, 2, 10, 50, 200])
      show(
        `no change, ${perWeek} a week, dispersion ${phi}, ${weeks} weeks`,
        await counts(connection, { perWeek, phi, weeks, draws }),
      )
for (const weeks of [3, 4, 13])
  for (const phi of [1, 3, 8])
    for (const perWeek of [0.5, 10, 200])
      show(
        `no change, 12 weeks before, ${perWeek}, dispersion ${phi}, ${weeks} weeks`,
        await counts(connection, { perWeek, phi, weeks, earlier: 12, draws }),
      )
for (const phi of [1, 3])
  for (const earlier of [0, 12])
    show(
      `twice 15 a week, dispersion ${phi}, 4 weeks, ${earlier} before`,
      await counts(connection, { perWeek: 15, phi, weeks: 4, times: 2, earlier, draws }),
    )
// In this table, `said` is the share of charts with a week outside of the expected range.
for (const weeks of [13, 26, 52])
  for (const phi of [1, 3])
    for (const perWeek of [0.3, 1, 1.9, 10, 50])
      show(
        `chart and trend, ${perWeek} a week, dispersion ${phi}, ${weeks} weeks`,
        await weekly(connection, { perWeek, phi, weeks, draws }),
      )
for (const weeks of [3, 4, 13])
  for (const phi of [1, 3])
    for (const perWeek of [10, 100])
      for (const share of [0.02, 0.1, 0.5, 0.97])
        show(
          `no change, ${100 * share} % of ${perWeek} a week, dispersion ${phi}, ${weeks} weeks`,
          await shares(connection, { perWeek, share, phi, weeks, draws }),
        )
show(
  '50 to 65 % of 100 a week, dispersion 1, 4 weeks',
  await shares(connection, { perWeek: 100, share: 0.5, phi: 1, weeks: 4, more: 0.15, draws }),
)
show(
  'twice 15 a week, dispersion 1, 4 weeks',
  await counts(connection, { perWeek: 15, phi: 1, weeks: 4, times: 2, draws }),
)
show(
  'half as long, 200 and 200 over 13 weeks',
  await independent(connection, { n: 200, before: 200, weeks: 13, times: 0.5, draws }),
)
const folder = fileURLToPath(new URL('../../../shared/data/uci498/', import.meta.url))
if (existsSync(folder)) {
  await weeksOfUci498(connection, folder)
  for (const weeks of [3, 4])
    show(
      `uci498, weeks dealt at random, ${weeks} weeks`,
      await dealt(connection, { weeks, of: 8, draws: draws / 4 }),
    )
  const shorter = { weeks: 4, of: 8, times: 0.7, share: 0.033, draws: draws / 4 }
  show('uci498, 30 % shorter, some 200 a side', await dealt(connection, shorter))
  show(
    'the same over 13 weeks, each of the eight up to four times',
    await dealt(connection, { ...shorter, weeks: 13, share: 0.0102 }),
  )
}

const sizes = [6, 10, 20, 50, 200]
console.log(
  `\n${'95 % interval, held in percent'.padEnd(52)}${sizes.map((n) => `n ${n}`.padStart(8)).join('')}`,
)
async function cover(name: string, of: (n: number) => Promise<Coverage>) {
  const row: Coverage[] = []
  for (const n of sizes) row.push(await of(n))
  console.log(name.padEnd(52) + row.map((held) => (held?.toFixed(1) ?? '–').padStart(8)).join(''))
}
const many = draws * 5
const sds = [1, 1.25, 1.5]
await cover('median', (n) =>
  ofLogNormals(connection, {
    expression: 'quantile_interval(x, 0.5)',
    truth: () => 1,
    sd: 1.25,
    n,
    draws: many,
  }),
)
await cover('p90', (n) =>
  ofLogNormals(connection, {
    expression: 'quantile_interval(x, 0.9)',
    truth: (sd) => Math.exp(1.2815515655446004 * sd),
    sd: 1.25,
    n,
    draws: many,
  }),
)
for (const sd of sds)
  await cover(`mean of log-normals of sd ${sd}`, (n) =>
    ofLogNormals(connection, {
      expression: 'mean_interval(x)',
      truth: () => Math.exp((sd * sd) / 2),
      sd,
      n,
      draws: many,
    }),
  )
for (const share of [0.1, 0.3, 0.5])
  await cover(`share of ${share}`, (n) => ofShares(connection, { share, n, draws: many }))
for (const [before, now] of [
  [0.3, 0.3],
  [0.1, 0.3],
] as const)
  await cover(`change of a share, ${before} to ${now}`, (n) =>
    ofShareChanges(connection, { before, now, n, draws: many }),
  )
for (const weeks of [4, 13])
  for (const times of [1, 2])
    await cover(`ratio of medians, ${times}, ${weeks} weeks`, (n) =>
      ofDurationChanges(connection, { times, n, weeks, draws }),
    )
for (const weeks of [4, 13])
  for (const times of [1, 2])
    await cover(`ratio of counts, ${times}, ${weeks} weeks`, (n) =>
      ofCountChanges(connection, { times, n, weeks, draws }),
    )
await cover('trend, 13 weeks', (n) => ofTrends(connection, { n, draws }))
await cover('share still open (Greenwood)', (n) => ofSurvival(connection, { n, draws: Math.min(draws, 300) }))
