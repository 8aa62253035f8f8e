/**
 * Both rate limits: how long so many requests take, how far above the least that the limits allow, and how many were
 * refused. The sandbox and each client are processes of their own; several clients share the limits.
 * Usage: node dist/bench/quota.js [--requests=100,1000,3000] [--latency=0,150] [--limiter=sliding,fixed] [--clients=1]
 * Prints one JSON line a run, one run after another; 3,000 requests take 140 s.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createClient } from '../../dist/client/client.js'

const PER_SECOND = 50
const PER_MINUTE = 1_000

/** What one client did; times are of the clock that all of them read. */
interface Burst {
  startedAt: number
  endedAt: number
  cpuUs: number
}

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const self = fileURLToPath(import.meta.url)

if (process.argv[2] === 'burst') {
  const [baseUrl, appKey, requests, folder] = process.argv.slice(3) as [string, string, string, string]
  process.send!(await burst(baseUrl, appKey, Number(requests), folder))
} else {
  for (const clients of listOf('clients', '1').map(Number))
    for (const limiter of listOf('limiter', 'sliding,fixed'))
      for (const latency of listOf('latency', '0,150').map(Number))
        for (const requests of listOf('requests', '100,1000,3000').map(Number))
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
  const options = ['--limiter', limiter, '--latency', String(latencyMs)]
  const sandbox = spawn(process.execPath, [main, 'sandbox', '--port', '0', '--incidents', '10', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const { base_url: baseUrl, app_key: appKey } = await firstLine(sandbox)
    const each = String(requests / clients)
    const bursts = await Promise.all(
      Array.from({ length: clients }, async () => {
        const child = fork(self, ['burst', baseUrl!, appKey!, each, folder])
        const [result] = (await once(child, 'message')) as [Burst]
        return result
      }),
    )
    const startedAt = Math.min(...bursts.map((one) => one.startedAt))
    const seconds = (Math.max(...bursts.map((one) => one.endedAt)) - startedAt) / 1_000
    const floor = leastSeconds(requests, latencyMs)
    const seen = (await (await fetch(`${baseUrl}/_sandbox/stats`)).json()) as Seen
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
    sandbox.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Seen {
  rate_limited: number
  most_in_1s: { accepted: number }
  most_in_60s: { accepted: number }
}

/** A burst at 0, 1, … 19 s of each minute, and one way there and back for the last: no sliding window allows less. */
function leastSeconds(requests: number, latencyMs: number): number {
  const minutes = Math.ceil(requests / PER_MINUTE) - 1
  const bursts = Math.ceil((requests - minutes * PER_MINUTE) / PER_SECOND)
  return minutes * 60 + bursts - 1 + latencyMs / 1_000
}

async function firstLine(child: ChildProcess): Promise<Record<string, string>> {
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string]
  return JSON.parse(line) as Record<string, string>
}

function listOf(name: string, usual: string): string[] {
  const given = process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)
  return (given ?? usual).split(',')
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
