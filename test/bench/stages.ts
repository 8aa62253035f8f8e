/**
 * The stages of the load path one after another, nothing side by side: where the work of a row goes.
 * Usage: node dist/bench/stages.js INCIDENTS [--real] [--objects]
 * With --objects every record becomes an object first, as those do that cannot be read from bytes.
 * CPU microseconds of all threads and wall microseconds a row; prints one JSON line a stage.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseJson } from '../../dist/contract/json.js'
import { incidents } from '../../dist/resources/incidents.js'
import { resources } from '../../dist/resources/index.js'
import { createJudge } from '../../dist/sync/accept.js'
import { createPageReader } from '../../dist/warehouse/stage/bytes/read-page.js'
import { createStage } from '../../dist/warehouse/stage/stage.js'
import { openWarehouse } from '../../dist/warehouse/warehouse.js'
import { incidentPages, realPages } from './pages.js'

const count = Number(process.argv[2] ?? 50_000)
const BATCH_ROWS = 10_000
const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
const warehouse = await openWarehouse(join(folder, 'bench.duckdb'), resources)
const take = process.argv.includes('--objects') ? undefined : createPageReader(incidents)
const judge = createJudge(incidents)
const stages = new Map<string, { cpu: number; wall: number }>()
let rows = 0
let stage = createStage(incidents)

for (const page of process.argv.includes('--real') ? realPages(count) : incidentPages(count)) {
  const records =
    (take && (await timed('parse, validate, convert', () => take([page])))?.bulk) ?? (await asObjects(page))
  const before = stage.rows
  await timed('stage', () => stage.add(records))
  rows += stage.rows - before
  if (stage.rows >= BATCH_ROWS) await store()
}
if (stage.rows > 0) await store()
await timed('checkpoint and publish', () => warehouse.publish())
rmSync(folder, { recursive: true })

for (const [name, { cpu, wall }] of stages) {
  const each = (microseconds: number) => Math.round((microseconds / rows) * 100) / 100
  console.log(
    JSON.stringify({ stage: name, cpu_us_per_row: each(cpu), rows_per_s: Math.round((rows / wall) * 1e6) }),
  )
}

async function asObjects(page: Buffer) {
  const text = await timed('decode', () => page.toString('utf8'))
  const { data } = (await timed('parse', () => parseJson(text))) as { data: { items: unknown[] } }
  return (await timed('validate', () => judge(data.items))).rows
}

async function store() {
  const full = stage
  const { rows: staged } = full
  stage = createStage(incidents)
  let stored = 0
  await timed('begin, upsert, commit', () =>
    warehouse.db.transaction().execute(async () => {
      const written = await timed('upsert', () =>
        warehouse.upsert(full, { runId: 1, accountId: 1n, seenAt: 0 }),
      )
      stored = written.inserted
    }),
  )
  if (stored !== staged) throw new Error(`${stored} of ${staged} rows were stored`)
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
