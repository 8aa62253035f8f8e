/**
 * Measures a first sync, a night without changes, and a night in which 3% of all rows are out of date, each as a whole
 * process.
 * Usage: `node dist/bench/nights.js INCIDENTS [--limits] [--latency=MS]`
 * With --limits, both the client and the sandbox apply the rate limits, so compare only how far each time exceeds the
 * minimum.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { sideDoor } from '../support/side-door.ts'
import { firstSync } from './first-sync.js'
import { leastSeconds } from './least-seconds.js'
import { option, round } from './options.js'
import { sandboxProcess } from './sandbox-process.js'

const DAY = 86_400
const self = fileURLToPath(import.meta.url)
const isLimited = process.argv.includes('--limits')
const latencyMs = Number(option('latency', '0'))

if (process.argv[2] === 'one') {
  const [baseUrl, path] = process.argv.slice(3) as [string, string]
  console.log(JSON.stringify(await one(baseUrl, path)))
} else await nights(Number(process.argv[2] ?? 20_000))

async function nights(incidents: number) {
  const limits = isLimited ? [] : ['--no-limits']
  const sandbox = await sandboxProcess(incidents, '--latency', String(latencyMs), ...limits)
  const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
  const path = join(folder, 'bench.duckdb')
  const night = (name: string) => {
    const env = { ...process.env, APP_KEY: sandbox.appKey }
    const words = [self, 'one', sandbox.baseUrl, path, ...process.argv.slice(3)]
    const text = execFileSync(process.execPath, words, { env, encoding: 'utf8' })
    console.log(
      JSON.stringify({ night: name, of: incidents, ...JSON.parse(text), load: round(loadavg()[0]!) }),
    )
  }
  try {
    night('first')
    night('nothing changed')
    const own = readdirSync(`${path}.sync`).find((file) => /^\d+\.duckdb$/.test(file))!
    await age(join(`${path}.sync`, own))
    await sideDoor(sandbox.baseUrl, 'clock', { advance_s: DAY })
    night('a day later, 3 % out of date')
    if (isLimited) console.log(JSON.stringify(await sandbox.seen()))
  } finally {
    sandbox.stop()
    rmSync(folder, { recursive: true })
  }
}

/** Makes 3% of the stored rows differ from the service, so that the next sync finds changed records. */
async function age(file: string) {
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  await connection.run(
    `update incidents set title = 'was ' || title, _hash = 0 where hash(incident_id) % 100 < 3`,
  )
  connection.closeSync()
  instance.closeSync()
}

async function one(baseUrl: string, path: string) {
  const before = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const quota = isLimited ? 1 : undefined
  const result = await firstSync({ baseUrl, appKey: process.env.APP_KEY!, path, quota })
  if (result.status !== 'ok') throw new Error(`the sync ended ${result.status}`)
  const { user, system } = process.cpuUsage()
  return {
    rows_read: result.read,
    inserted: result.inserted,
    replaced: result.replaced,
    vanished: result.vanished,
    requests: result.requests,
    throttled: result.throttled,
    seconds: round(result.seconds),
    ...(isLimited
      ? { above_the_least_s: round(result.seconds - leastSeconds(result.requests, latencyMs)) }
      : {}),
    whole_process_s: round(process.uptime()),
    rows_per_s: Math.round(result.read / result.seconds),
    cpu_s: round((user + system) / 1e6),
    peak_mb: Math.round(process.resourceUsage().maxRSS / 1_024),
    file_mb: round(statSync(path).size / 1e6),
    grown_mb: round((statSync(path).size - before) / 1e6),
  }
}
