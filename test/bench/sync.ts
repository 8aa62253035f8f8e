/**
 * Measures the cost of a first sync from a sandbox in another process. Neither side applies rate limits.
 * Usage: `node dist/bench/sync.js INCIDENTS [--memory=256MB] [--runs=1] [--ceiling]`
 * With --ceiling, the last line shows DuckDB's own read_json on the sandbox's records.
 */
import { execFileSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { fileURLToPath } from 'node:url'
import { MEMORY_LIMIT } from '../../dist/warehouse/file/open-file.js'
import { sideDoor } from '../support/side-door.ts'
import { firstSync } from './first-sync.js'
import { option, round } from './options.js'
import { readJson } from './read-json.js'
import { sandboxProcess } from './sandbox-process.js'

const self = fileURLToPath(import.meta.url)
const memory = option('memory', MEMORY_LIMIT)

if (process.argv[2] === 'one') {
  const [baseUrl, appKey] = process.argv.slice(3) as [string, string]
  console.log(JSON.stringify(await one(baseUrl, appKey)))
} else await all(Number(process.argv[2] ?? 20_000))

async function all(incidents: number) {
  const sandbox = await sandboxProcess(incidents, '--no-limits')
  try {
    for (let run = 0; run < Number(option('runs', '1')); run++) {
      const words = [self, 'one', sandbox.baseUrl, sandbox.appKey, ...process.argv.slice(3)]
      console.log(execFileSync(process.execPath, words, { encoding: 'utf8' }).trimEnd())
    }
    if (process.argv.includes('--ceiling')) console.log(JSON.stringify(await ceiling(sandbox.baseUrl)))
  } finally {
    sandbox.stop()
  }
}

/** Runs one sync in a separate process, so that its memory and CPU are measured alone. */
async function one(baseUrl: string, appKey: string) {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
  const path = join(folder, 'bench.duckdb')
  const cpuBefore = process.cpuUsage()
  try {
    const startedAt = performance.now()
    const result = await firstSync({ baseUrl, appKey, path, memory })
    // This time includes opening and publishing, which the sync does not count.
    const seconds = (performance.now() - startedAt) / 1_000
    const cpu = process.cpuUsage(cpuBefore)
    return {
      incidents: result.inserted,
      status: result.status,
      seconds: round(seconds),
      rows_per_s: Math.round(result.inserted / seconds),
      whole_process_s: round(performance.now() / 1_000),
      cpu_us_per_row: Math.round((cpu.user + cpu.system) / result.inserted),
      requests: result.requests,
      peak_mb: Math.round(process.resourceUsage().maxRSS / 1_024),
      file_mb: Math.round(statSync(path).size / 1e6),
      load: round(loadavg()[0]!),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function ceiling(baseUrl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
  try {
    const lines = join(folder, 'records.ndjson')
    const { body } = await sideDoor(baseUrl, 'truth')
    await pipeline(Readable.fromWeb(body as ReadableStream), createWriteStream(lines))
    return await readJson(lines, folder, memory)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
