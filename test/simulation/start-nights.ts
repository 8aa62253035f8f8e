/**
 * Nights of one running `faultline start`, which syncs a changing company, makes and sends two reports a night, and
 * is measured from outside.
 * Usage: `node dist/simulation/start-nights.js [NIGHTS] [--seed N] [--seconds 60]`
 * Prints memory, handles, threads, files and sizes as JSON after nights 1, 10, 30, 60 and each hundredth. Needs /proc.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startSandbox } from '../../dist/sandbox/start-sandbox.js'
import type { Health } from '../../dist/schedule/health.js'
import { start } from '../support/process.ts'
import { hookServer } from '../support/server.ts'
import { Company } from './company.ts'
import { found, live } from './life.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, seconds: { type: 'string', default: '20' } },
})
const nights = Number(positionals[0] ?? 60)
const seed = Number(values.seed)
/** The length of a night on the clock of the machine, and of a day on that of the service, 20 or 60 seconds. */
const seconds = Number(values.seconds)
const every = (from: number) => (seconds === 60 ? `${from} * * * * *` : `${from}-59/${seconds} * * * * *`)
const REPORTS = ['mtta-mttr', 'severity-trend']

const company = new Company(Math.floor(Date.now() / 1_000) - nights * 86_400)
found(company, seed, new Set())
const service = await startSandbox({ seed, now: company.now, limits: false }, () => company.world())
const hooks = await hookServer()
const folder = mkdtempSync(join(tmpdir(), 'faultline-start-nights-'))
writeFileSync(
  join(folder, 'config.json'),
  JSON.stringify({
    baseUrl: service.baseUrl,
    timezone: 'Europe/Berlin',
    schedule: {
      sync: every(0),
      reports: Object.fromEntries(
        [
          'executive-summary',
          'on-call-handover',
          'severity-trend',
          'mtta-mttr',
          'reliability-review',
          'team-overview',
        ].map((name) => [name, REPORTS.includes(name) ? every(5) : false]),
      ),
    },
    delivery: { webhook: { url: hooks.url } },
  }),
)
const running = start(['start'], { FAULTLINE_APP_KEY: service.appKey }, folder)
try {
  for (let night = 1; night <= nights; night++) {
    // A sync of tonight's data, then its reports.
    const before = succeededAt('sync')
    await until(() => succeededAt('sync') > before)
    const synced = succeededAt('sync')
    await until(() => REPORTS.every((name) => succeededAt(`report:${name}`) > synced))
    if ([1, 10, 30, 60].includes(night) || night % 100 === 0)
      console.log(JSON.stringify({ night, ...measured() }))
    company.now = service.advance(86_400)
    live(company, seed, night, new Set())
  }
} finally {
  running.process.kill('SIGTERM')
  const { code, err } = await running.ended
  if (code !== 0) console.error(err.slice(-2_000))
  console.log(
    JSON.stringify({
      ended: code,
      incidents: company.incidents.records().length,
      sent: hooks.posts.length,
    }),
  )
  await service.close()
  await hooks.close()
  rmSync(folder, { recursive: true })
}

/** The time of a job's last success, or empty. */
function succeededAt(job: string): string {
  return readHealth()?.jobs[job]?.succeededAt ?? ''
}

function readHealth(): Health | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'faultline.duckdb.health.json'), 'utf8')) as Health
  } catch {
    return undefined
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 50) {
    if (waited > 600_000 || running.process.exitCode !== null)
      throw new Error(`no night more: ${JSON.stringify(readHealth())}`)
    await sleep(50)
  }
}

function measured() {
  const { pid } = running.process
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name), { throwIfNoEntry: false })?.isFile(),
  )
  const kb = (is: (name: string) => boolean) =>
    Math.round(
      files
        .filter(is)
        .reduce(
          (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
          0,
        ) / 1_024,
    )
  return {
    rss_mb: Math.round(of('VmRSS') / 1_024),
    peak_mb: Math.round(of('VmHWM') / 1_024),
    threads: of('Threads'),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    warehouse_kb: kb((name) => name === 'faultline.duckdb'),
    sync_kb: kb((name) => name.startsWith('faultline.duckdb.sync/')),
    ledgers_kb: kb((name) => name.endsWith('.ndjson')),
    pages: files.filter((name) => name.startsWith('out/')).length,
    pages_kb: kb((name) => name.startsWith('out/')),
    incidents: company.incidents.records().length,
  }
}
