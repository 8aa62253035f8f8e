/**
 * The stages of the load path one after another, to show how much work each stage takes per row. Usage: `node
 * dist/bench/stages.js INCIDENTS [--real]` Prints one JSON line a stage, with CPU microseconds of all threads and rows a
 * second.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseJson } from '../../dist/contract/json.js'
import { incidents } from '../../dist/resources/incidents.js'
import { resources } from '../../dist/resources/index.js'
import { resolveStorage } from '../../dist/sdk/resolve-storage.js'
import { BATCH_ROWS } from '../../dist/sync/batch.js'
import { createValidator } from '../../dist/sync/validate-records.js'
import { createStaging } from '../../dist/warehouse/load/staging.js'
import { upsert } from '../../dist/warehouse/load/upsert.js'
import { openWarehouse } from '../../dist/warehouse/warehouse.js'
import { incidentPages, realPages } from './pages.js'

const count = Number(process.argv[2] ?? 50_000)
const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
const warehouse = await openWarehouse(await resolveStorage(join(folder, 'bench.duckdb')), resources, {
  accountId: 1n,
})
const validate = createValidator(incidents)
const stages = new Map<string, { cpu: number; wall: number }>()
let rows = 0
let staging = createStaging(incidents)

for (const page of process.argv.includes('--real') ? realPages(count) : incidentPages(count)) {
  const text = await timed('decode', () => page.toString('utf8'))
  const { data } = (await timed('parse', () => parseJson(text))) as { data: { items: unknown[] } }
  const { accepted } = await timed('validate', () => validate(data.items))
  await timed('write a line', () => staging.add(accepted))
  rows += accepted.length
  if (staging.rows >= BATCH_ROWS) await store()
}
if (staging.rows > 0) await store()
await timed('checkpoint and publish', () => warehouse.publish())
rmSync(folder, { recursive: true })

for (const [name, { cpu, wall }] of stages) {
  const each = (microseconds: number) => Math.round((microseconds / rows) * 100) / 100
  console.log(
    JSON.stringify({ stage: name, cpu_us_per_row: each(cpu), rows_per_s: Math.round((rows / wall) * 1e6) }),
  )
}

async function store() {
  const full = staging
  staging = createStaging(incidents)
  const { inserted } = await timed('begin, upsert, commit', () =>
    warehouse.db
      .transaction()
      .execute((tx) => timed('upsert', () => upsert(tx, full, { runId: 1, accountId: 1n, seenAt: 0 }))),
  )
  if (inserted !== full.rows) throw new Error(`${inserted} of ${full.rows} rows were stored`)
}

async function timed<Result>(name: string, work: () => Result | Promise<Result>): Promise<Result> {
  const before = process.cpuUsage()
  const startedAt = performance.now()
  const result = await work()
  const wall = (performance.now() - startedAt) * 1_000
  const { user, system } = process.cpuUsage(before)
  const sum = stages.get(name) ?? { cpu: 0, wall: 0 }
  stages.set(name, { cpu: sum.cpu + user + system, wall: sum.wall + wall })
  return result
}
