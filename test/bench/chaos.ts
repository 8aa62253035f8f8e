/**
 * Chaos: seeded runs of a sync that is killed and started again against a service that fails in every way.
 * Usage: node dist/bench/chaos.js [RUNS] [--seed FIRST] [--side-by-side N] [--minutes M]
 * No run begins when the minutes are over.
 * Prints one JSON line a run and one at the end; ends with 1 when any run had a problem.
 */
import { parseArgs } from 'node:util'
import { type ChaosResult, chaosRun } from './chaos-run.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    'side-by-side': { type: 'string', default: '2' },
    minutes: { type: 'string', default: 'Infinity' },
  },
})
const runs = Number(positionals[0] ?? 20)
const first = Number(values.seed)
const seeds = Array.from({ length: runs }, (_, k) => first + k)
const results: ChaosResult[] = []
const startedAt = performance.now()
const isTime = () => performance.now() - startedAt < Number(values.minutes) * 60_000

async function next(): Promise<void> {
  for (let seed = seeds.shift(); seed !== undefined && isTime(); seed = seeds.shift()) {
    const result = await chaosRun(seed).catch((error: unknown) => failed(seed!, error))
    results.push(result)
    console.log(JSON.stringify(result))
    if (result.problems.length > 0) console.log(`repeat it: node dist/bench/chaos.js 1 --seed ${seed}`)
  }
}

await Promise.all(Array.from({ length: Number(values['side-by-side']) }, next))

const sum = (of: (result: ChaosResult) => number) => results.reduce((total, one) => total + of(one), 0)
const most = (of: (result: ChaosResult) => number) => Math.max(...results.map(of))
const kills = results.flatMap((one) => one.kills)
const bad = results.filter((one) => one.problems.length > 0)
console.log(
  JSON.stringify({
    runs: results.length,
    failed: bad.map((one) => one.seed).sort((a, b) => a - b),
    kills: Object.fromEntries(
      [...new Set(kills)].map((kind) => [kind, kills.filter((one) => one === kind).length]),
    ),
    starts: sum((one) => one.starts),
    requests: sum((one) => one.requests),
    refused_by_a_limit: sum((one) => one.refused),
    runs_with_a_refusal: results.filter((one) => one.refused > 0).length,
    made_up_429: sum((one) => one.madeUp429),
    most_in_1s: most((one) => one.most1s),
    most_in_60s: most((one) => one.most60s),
    looks: sum((one) => one.looks),
    minutes: Math.round((performance.now() - startedAt) / 6_000) / 10,
  }),
)
if (bad.length > 0) process.exitCode = 1

/** A run that could not be done at all is a problem too. */
function failed(seed: number, error: unknown): ChaosResult {
  const problem = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const none = { starts: 0, incidents: 0, requests: 0, refused: 0, madeUp429: 0, most1s: 0, most60s: 0 }
  return { seed, problems: [problem], kills: [], ...none, looks: 0, seconds: 0 }
}
