/**
 * Both rate limits: how long so many requests take, how far above the least that the limits allow, and how many were
 * refused. The sandbox and each client are processes of their own; several clients share the limits.
 * Usage: node dist/bench/quota.js [--requests=100,1000,3000] [--latency=0,150] [--limiter=sliding,fixed] [--clients=1]
 *   [--before=0,1,200] [--client=faultline] [--runs=1]
 * `client`: `bare` is the least that a program on undici can do at 0 ms (bare-client.ts); one client, up to 1,000 requests.
 * `before`: so many requests that each client has sent already; a run whose requests do not fit into one minute with them
 * is left out. Prints one JSON line a run, one run after another; 3,000 requests take 140 s.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from '../../dist/client/client.js'
import { createBareClient } from './bare-client.js'
import { leastSafeSeconds, leastSeconds, PER_MINUTE } from './least-seconds.js'
import { option, round } from './options.js'
import { sandboxProcess } from './sandbox-process.js'

/** What one client did; times are of the clock that all of them read. */
interface Burst {
  startedAt: number
  endedAt: number
  cpuUs: number
}

/** So long after an answer its request fills no second any more, and no minute. */
const A_SECOND_IS_OVER_MS = 1_500
const A_MINUTE_IS_OVER_MS = 61_000

/** Requests that warm the sandbox up: without a key as many as it takes to compile it, with one a few seconds' worth. */
const WARM_WITHOUT_KEY = 3_000
const WARM_WITH_KEY = 300

/** As many ask at once as the client sends at once at most. */
const CALLERS = 50

const self = fileURLToPath(import.meta.url)

if (process.argv[2] === 'burst') {
  const [kind, baseUrl, appKey, folder, before, requests] = process.argv.slice(3) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  const client = kind === 'bare' ? createBareClient(baseUrl, appKey) : ourClient(baseUrl, appKey, folder)
  process.send!(await burst(client, Number(before), Number(requests)))
} else {
  for (const clients of option('clients', '1').split(',').map(Number))
    for (const limiter of option('limiter', 'sliding,fixed').split(','))
      for (const latency of option('latency', '0,150').split(',').map(Number))
        for (const requests of option('requests', '100,1000,3000').split(',').map(Number))
          for (const before of option('before', '0,1,200').split(',').map(Number))
            if (before === 0 || clients * before + requests <= PER_MINUTE)
              for (let run = 0; run < Number(option('runs', '1')); run++)
                for (const kind of option('client', 'faultline').split(','))
                  console.log(
                    JSON.stringify(await measure(kind, clients, limiter, latency, before, requests)),
                  )
}

interface Sender {
  /** Resolves when so many requests are answered. */
  send(count: number): Promise<void>
  close(): Promise<void>
}

function ourClient(baseUrl: string, appKey: string, folder: string): Sender {
  const sharing = { folder, warn: (message: string) => console.error(message) }
  const client = createClient({ baseUrl, appKey, sharing })
  return {
    send: (count) => many(count, () => client.call('team/infos', { team_ids: [1] })),
    close: client.close,
  }
}

async function burst(client: Sender, before: number, requests: number): Promise<Burst> {
  if (before > 0) {
    await client.send(before)
    await sleep(A_SECOND_IS_OVER_MS)
  }
  const cpuBefore = process.cpuUsage()
  const startedAt = Date.now()
  await client.send(requests)
  const endedAt = Date.now()
  await client.close()
  const { user, system } = process.cpuUsage(cpuBefore)
  return { startedAt, endedAt, cpuUs: user + system }
}

async function measure(
  kind: string,
  clients: number,
  limiter: string,
  latencyMs: number,
  before: number,
  requests: number,
) {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-quota-'))
  const sandbox = await sandboxProcess(10, '--limiter', limiter, '--latency', String(latencyMs))
  const { baseUrl, appKey } = sandbox
  try {
    await warmUp(sandbox, clients * before + requests)
    const each = String(requests / clients)
    const bursts = await Promise.all(
      Array.from({ length: clients }, async () => {
        const child = fork(self, ['burst', kind, baseUrl, appKey, folder, String(before), each])
        const [result] = (await once(child, 'message')) as [Burst]
        return result
      }),
    )
    const startedAt = Math.min(...bursts.map((one) => one.startedAt))
    const seconds = (Math.max(...bursts.map((one) => one.endedAt)) - startedAt) / 1_000
    const floor = leastSeconds(requests, latencyMs)
    const safe = leastSafeSeconds(requests, latencyMs, before)
    const seen = await sandbox.seen()
    return {
      client: kind,
      clients,
      limiter,
      latency_ms: latencyMs,
      before,
      requests,
      floor_s: floor,
      seconds: Number(seconds.toFixed(3)),
      above_s: Number((seconds - floor).toFixed(3)),
      above_percent: round((seconds / floor - 1) * 100),
      safe_floor_s: safe,
      above_safe_percent: round((seconds / safe - 1) * 100),
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

/**
 * A service has run for a while when a client comes; the first thousands of answers of the sandbox are slow, because its
 * code is not compiled yet. Requests without a key are answered before the limits count them; those with one have left
 * the limits when this is over. All of them open a connection, which a client's first ones do too.
 * @param toCome so many requests shall fit into the minute that follows
 */
async function warmUp({ baseUrl, appKey }: { baseUrl: string; appKey: string }, toCome: number) {
  const url = `${baseUrl}/team/infos`
  await many(WARM_WITHOUT_KEY, () => askOnce(url))
  for (let sent = 0; sent < WARM_WITH_KEY; sent += 50) {
    await many(50, () => askOnce(`${url}?app_key=${appKey}`))
    await sleep(A_SECOND_IS_OVER_MS)
  }
  if (WARM_WITH_KEY + toCome > PER_MINUTE) await sleep(A_MINUTE_IS_OVER_MS)
}

/** Does it so often, by CALLERS side by side. */
async function many(count: number, act: () => Promise<unknown>) {
  let left = count
  const caller = async () => {
    while (left-- > 0) await act()
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}

/** One request on a connection of its own. */
async function askOnce(url: string) {
  const asking = request(url, { method: 'POST', agent: false })
  asking.end('{"team_ids":[1]}')
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  await answer.resume().toArray()
}
