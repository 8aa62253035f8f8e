/**
 * A whole sync from a sandbox in a process of its own, without limits on either side: what a first sync costs.
 * Usage: node dist/bench/sync.js INCIDENTS [--memory=256MB]
 * Prints one JSON line.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '../../dist/client/client.js'
import { realEffects } from '../../dist/effects.js'
import { resources } from '../../dist/resources/index.js'
import { sync } from '../../dist/sync/sync.js'

const incidents = process.argv[2] ?? '20000'
const memory = process.argv.find((word) => word.startsWith('--memory='))?.slice('--memory='.length)
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const sandbox = spawn(
  process.execPath,
  [main, 'sandbox', '--port', '0', '--incidents', incidents, '--now', '2026-01-01', '--no-limits'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
const [line] = (await once(sandbox.stdout, 'data')) as [Buffer]
const { base_url: baseUrl, app_key: appKey } = JSON.parse(line.toString()) as Record<string, string>

const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
const path = join(folder, 'bench.duckdb')
const client = createClient({ baseUrl: baseUrl!, appKey: appKey!, quota: Number.POSITIVE_INFINITY })
const cpuBefore = process.cpuUsage()
try {
  const result = await sync({
    client,
    path,
    resources: resources.filter((resource) => resource.table === 'incidents'),
    known: resources,
    effects: realEffects(),
    concurrency: 8,
    version: 'bench',
    signal: new AbortController().signal,
    ...(memory === undefined ? {} : { memoryLimit: memory }),
    scope: (now) => ({
      now,
      since: now - 8_000 * 86_400,
      lookbackDays: 31,
      windowSeconds: 31 * 86_400,
      full: false,
    }),
  })
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
  await client.close()
  sandbox.kill()
  rmSync(folder, { recursive: true })
}
