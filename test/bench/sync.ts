/**
 * A whole sync from a sandbox in a process of its own, without limits on either side: what a first sync costs.
 * Usage: node dist/bench/sync.js INCIDENTS [--memory=256MB]
 * Prints one JSON line.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firstSync } from './first-sync.js'
import { sandboxProcess } from './sandbox-process.js'

const incidents = Number(process.argv[2] ?? 20_000)
const memory = process.argv.find((word) => word.startsWith('--memory='))?.slice('--memory='.length)
const sandbox = await sandboxProcess(incidents, '--no-limits')
const { baseUrl, appKey } = sandbox
const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
const path = join(folder, 'bench.duckdb')
const cpuBefore = process.cpuUsage()
try {
  const result = await firstSync({ baseUrl, appKey, path, memory })
  const cpu = process.cpuUsage(cpuBefore)
  console.log(
    JSON.stringify({
      incidents: result.inserted,
      status: result.status,
      seconds: result.seconds,
      rows_per_s: Math.round(result.inserted / result.seconds),
      cpu_us_per_row: Math.round((cpu.user + cpu.system) / result.inserted),
      requests: result.requests,
      peak_mb: Math.round(process.resourceUsage().maxRSS / 1_024),
      file_mb: Math.round(statSync(path).size / 1e6),
    }),
  )
} finally {
  sandbox.stop()
  rmSync(folder, { recursive: true })
}
