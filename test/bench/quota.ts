/**
 * Both rate limits: how long so many requests take, how far above the least that the limits allow, and how many were
 * refused. The sandbox and each client are processes of their own; several clients share the limits.
 * Usage: node dist/bench/quota.js [--requests=100,1000,3000] [--latency=0,150] [--limiter=sliding,fixed] [--clients=1]
 * Prints one JSON line a run, one run after another; 3,000 requests take 140 s.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '../../dist/client/client.js'
import { leastSeconds } from './least-seconds.js'
import { option, round } from './options.js'
import { sandboxProcess } from './sandbox-process.js'

/** What one client did; times are of the clock that all of them read. */
interface Burst {
  startedAt: number
  endedAt: number
  cpuUs: number
}

const self = fileURLToPath(import.meta.url)

if (process.argv[2] === 'burst') {
  const [baseUrl, appKey, requests, folder] = process.argv.slice(3) as [string, string, string, string]
  process.send!(await burst(baseUrl, appKey, Number(requests), folder))
} else {
  for (const clients of option('clients', '1').split(',').map(Number))
    for (const limiter of option('limiter', 'sliding,fixed').split(','))
      for (const latency of option('latency', '0,150').split(',').map(Number))
        for (const requests of option('requests', '100,1000,3000').split(',').map(Number))
          console.log(JSON.stringify(await measure(clients, limiter, latency, requests)))
}

async function burst(baseUrl: string, appKey: string, requests: number, folder: string): Promise<Burst> {
  const sharing = { folder, warn: (message: string) => console.error(message) }
  const client = createClient({ baseUrl, appKey, sharing })
  const startedAt = Date.now()
  await Promise.all(Array.from({ length: requests }, () => client.call('team/infos', { team_ids: [1] })))
  const endedAt = Date.now()
  await client.close()
  const { user, system } = process.cpuUsage()
  return { startedAt, endedAt, cpuUs: user + system }
}

async function measure(clients: number, limiter: string, latencyMs: number, requests: number) {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-quota-'))
  const sandbox = await sandboxProcess(10, '--limiter', limiter, '--latency', String(latencyMs))
  const { baseUrl, appKey } = sandbox
  try {
    const each = String(requests / clients)
    const bursts = await Promise.all(
      Array.from({ length: clients }, async () => {
        const child = fork(self, ['burst', baseUrl, appKey, each, folder])
        const [result] = (await once(child, 'message')) as [Burst]
        return result
      }),
    )
    const startedAt = Math.min(...bursts.map((one) => one.startedAt))
    const seconds = (Math.max(...bursts.map((one) => one.endedAt)) - startedAt) / 1_000
    const floor = leastSeconds(requests, latencyMs)
    const seen = await sandbox.seen()
    return {
      clients,
      limiter,
      latency_ms: latencyMs,
      requests,
      floor_s: floor,
      seconds: round(seconds),
      above_s: round(seconds - floor),
      above_percent: round((seconds / floor - 1) * 100),
      refused: seen.rate_limited,
      most_in_1s: seen.most_in_1s.accepted,
      most_in_60s: seen.most_in_60s.accepted,
      cpu_us_per_request: Math.round(bursts.reduce((sum, one) => sum + one.cpuUs, 0) / requests),
      load_average: round(loadavg()[0]!),
    }
  } finally {
    sandbox.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
