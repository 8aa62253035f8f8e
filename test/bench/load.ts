/**
 * Measures the load path alone, from the bytes of pages to committed rows, with full validation.
 * Usage: `node dist/bench/load.js INCIDENTS [--real] [--stream] [--memory=256MB]`
 * Prints a second line for DuckDB's own read_json on the same records. With --stream, the peak memory does not include
 * the pages, but the rate includes generating them.
 */

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextEvent } from 'node:timers/promises'
import { parseJson } from '../../dist/contract/json.js'
import { realEffects } from '../../dist/effects.js'
import { incidents } from '../../dist/resources/incidents.js'
import { resources } from '../../dist/resources/index.js'
import { resolveStorage } from '../../dist/sdk/resolve-storage.js'
import { createLoader } from '../../dist/sync/loader.js'
import { createValidator } from '../../dist/sync/validate-records.js'
import { MEMORY_LIMIT } from '../../dist/warehouse/file/open-file.js'
import { openWarehouse } from '../../dist/warehouse/warehouse.js'
import { incidentPages, realPages } from './pages.js'
import { readJson, writeLines } from './read-json.js'

const count = Number(process.argv[2] ?? 50_000)
const stream = process.argv.includes('--stream')
const memory = process.argv.find((word) => word.startsWith('--memory='))?.slice('--memory='.length)
const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
const made = process.argv.includes('--real') ? realPages(count) : incidentPages(count)
const pages = stream ? made : [...made]
const warehouse = await openWarehouse(await resolveStorage(join(folder, 'bench.duckdb')), resources, {
  accountId: 1n,
  ...(memory === undefined ? {} : { memoryLimit: memory }),
})
const loader = createLoader(warehouse, { runId: 1, accountId: 1n }, realEffects())
const validate = createValidator(incidents)

const startedAt = performance.now()
const cpuBefore = process.cpuUsage()
let bytes = 0
for (const page of pages) {
  // Waits for an event after each page, as between two responses, so that the writer can run.
  await nextEvent()
  bytes += page.length
  const { data } = parseJson(page.toString('utf8')) as { data: { items: unknown[] } }
  await loader.add({
    resource: incidents,
    windowId: 1,
    ...validate(data.items),
    requestId: 'bench',
    cursor: null,
    total: null,
    checked: [],
    missing: [],
    denied: [],
  })
}
await loader.drain()
const seconds = (performance.now() - startedAt) / 1_000
const cpu = process.cpuUsage(cpuBefore)
const { files } = warehouse
await warehouse.db.destroy()
const logBytes = statSync(files.log, { throwIfNoEntry: false })?.size ?? 0
console.log(
  JSON.stringify({
    incidents: loader.counts.inserted,
    bytes_each: Math.round(bytes / loader.counts.inserted),
    seconds: round(seconds),
    cpu_us_per_row: round((cpu.user + cpu.system) / loader.counts.inserted),
    main_idle_share: round(performance.eventLoopUtilization().idle / (seconds * 1_000)),
    rows_per_s: Math.round(loader.counts.inserted / seconds),
    peak_mb: Math.round(process.resourceUsage().maxRSS / 1_024),
    file_mb: Math.round((statSync(files.working).size + logBytes) / 1e6),
  }),
)
await warehouse.close()
if (!stream) {
  const lines = join(folder, 'records.ndjson')
  writeLines([...pages], lines)
  console.log(JSON.stringify(await readJson(lines, folder, memory ?? MEMORY_LIMIT)))
}
rmSync(folder, { recursive: true })

function round(value: number): number {
  return Math.round(value * 100) / 100
}
