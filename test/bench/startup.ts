/**
 * Measures the time until a command begins, compared with Node alone and with Node that opens a DuckDB file and runs
 * one query.
 * Usage: `node dist/bench/startup.js [ROUNDS]`
 * Each round runs all commands, so that other load on the machine affects all commands alike.
 */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { resources } from '../../dist/resources/index.js'
import { resolveStorage } from '../../dist/sdk/resolve-storage.js'
import { openWarehouse } from '../../dist/warehouse/warehouse.js'

const rounds = Number(process.argv[2] ?? 15)
const main = fileURLToPath(new URL('../../dist/bin/faultline.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
const path = join(folder, 'bench.duckdb')
const warehouse = await openWarehouse(await resolveStorage(path), resources, { accountId: 1n })
await warehouse.publish()

const OPEN_AND_ASK = `
import { DuckDBInstance } from ${JSON.stringify(import.meta.resolve('@duckdb/node-api'))}
const instance = await DuckDBInstance.create(${JSON.stringify(path)}, { access_mode: 'READ_ONLY' })
const connection = await instance.connect()
await connection.runAndReadAll('select 1')`

const commands: Record<string, readonly string[]> = {
  'node -e 0': ['-e', '0'],
  'node, DuckDB opened and asked': ['--input-type=module', '-e', OPEN_AND_ASK],
  'faultline --version': [main, '--version'],
  'faultline --help': [main, '--help'],
  'faultline sync --help': [main, 'sync', '--help'],
  'faultline report list': [main, 'report', 'list'],
  'faultline status': [main, 'status', '--warehouse', path],
  "faultline sql 'select 1'": [main, 'sql', 'select 1', '--warehouse', path],
}

const times = new Map<string, number[]>(Object.keys(commands).map((name) => [name, []]))
for (let round = 0; round < rounds; round++) {
  for (const [name, words] of Object.entries(commands)) {
    const startedAt = performance.now()
    spawnSync(process.execPath, words, { cwd: folder, stdio: 'ignore' })
    times.get(name)!.push(performance.now() - startedAt)
  }
}
rmSync(folder, { recursive: true })

const [node, duckdb] = [...times.values()].map(median) as [number, number]
for (const [name, all] of times) {
  const ms = median(all)
  console.log(
    JSON.stringify({
      command: name,
      ms: Math.round(ms),
      times_node: round2(ms / node),
      times_duckdb: round2(ms / duckdb),
    }),
  )
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!
}

function round2(value: number): number {
  return Math.round(value * 100) / 100
}
