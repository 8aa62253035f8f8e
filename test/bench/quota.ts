/**
 * Measures how far the time of requests exceeds the minimum under both rate limits, and counts the refusals.
 * Usage: `node dist/bench/quota.js [--requests=100,900,1100] [--latency=0,150] [--limiter=sliding,fixed] [--runs=1]`
 * The sandbox and the client are separate processes. 1,100 requests take more than a minute.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from '../../dist/client/client.js'
import { option, round } from './options.js'
import { sandboxProcess } from './sandbox-process.js'

/** The result of one client. Times are Unix ms. */
interface Burst {
  startedAt: number
  endedAt: number
  cpuUs: number
}

/** After these times, a request no longer counts in any window of one second or one minute. */
const A_SECOND_IS_OVER_MS = 1_500
const A_MINUTE_IS_OVER_MS = 61_000

/** Numbers of requests before the measurement. Requests without a key do not count toward the limits. */
const WARM_WITHOUT_KEY = 3_000
const WARM_WITH_KEY = 300

const PER_SECOND = 50
const PER_MINUTE = 1_000

/** Number of parallel requests, which is the client's maximum. */
const CALLERS = 50

const self = fileURLToPath(import.meta.url)

if (process.argv[2] === 'burst') {
  const [baseUrl, appKey, requests] = process.argv.slice(3) as [string, string, string]
  process.send!(await burst(baseUrl, appKey, Number(requests)))
} else {
  for (const limiter of option('limiter', 'sliding,fixed').split(','))
    for (const latency of option('latency', '0,150').split(',').map(Number))
      for (const requests of option('requests', '100,900,1100').split(',').map(Number))
        for (let run = 0; run < Number(option('runs', '1')); run++)
          console.log(JSON.stringify(await measure(limiter, latency, requests)))
}

async function burst(baseUrl: string, appKey: string, requests: number): Promise<Burst> {
  const client = createClient({ baseUrl, appKey })
  const cpuBefore = process.cpuUsage()
  const startedAt = Date.now()
  await many(requests, () => client.call('team/infos', { team_ids: [1] }))
  const endedAt = Date.now()
  await client.close()
  const { user, system } = process.cpuUsage(cpuBefore)
  return { startedAt, endedAt, cpuUs: user + system }
}

async function measure(limiter: string, latencyMs: number, requests: number) {
  const sandbox = await sandboxProcess(10, '--limiter', limiter, '--latency', String(latencyMs))
  const { baseUrl, appKey } = sandbox
  try {
    await warmUp(sandbox, requests)
    const child = fork(self, ['burst', baseUrl, appKey, String(requests)])
    const [burst] = (await once(child, 'message')) as [Burst]
    const seconds = (burst.endedAt - burst.startedAt) / 1_000
    const floor = leastSeconds(requests, latencyMs)
    const seen = await sandbox.seen()
    return {
      limiter,
      latency_ms: latencyMs,
      requests,
      floor_s: floor,
      seconds: Number(seconds.toFixed(3)),
      above_s: Number((seconds - floor).toFixed(3)),
      refused: seen.rate_limited,
      most_in_1s: seen.most_in_1s.accepted,
      most_in_60s: seen.most_in_60s.accepted,
      cpu_us_per_request: Math.round(burst.cpuUs / requests),
      load_average: round(loadavg()[0]!),
    }
  } finally {
    sandbox.stop()
  }
}

/**
 * Sends requests until Node has compiled the sandbox's code, as in a service that has run for a while. If the limits
 * would otherwise not allow `toCome` requests, also waits until the requests with a key no longer count.
 * @param toCome number of requests that must fit into the next minute
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

async function many(count: number, act: () => Promise<unknown>) {
  let left = count
  const caller = async () => {
    while (left-- > 0) await act()
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}

async function askOnce(url: string) {
  const asking = request(url, { method: 'POST', agent: false })
  asking.end('{"team_ids":[1]}')
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  await answer.resume().toArray()
}

/**
 * Returns the fewest seconds that the rate limits allow for these requests: full bursts at 0, 1, … 19 s of each minute,
 * and one round trip at the end.
 */
function leastSeconds(requests: number, latencyMs: number): number {
  const minutes = Math.ceil(requests / PER_MINUTE) - 1
  const bursts = Math.ceil((requests - minutes * PER_MINUTE) / PER_SECOND)
  return minutes * 60 + bursts - 1 + latencyMs / 1_000
}
