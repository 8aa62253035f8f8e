import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import type { Health, JobHealth } from '../../src/schedule/health.ts'
import { type Running, run, start } from '../support/cli.ts'
import { type SmtpServer, smtpServer } from '../support/mail-server.ts'
import { type HookServer, hookServer } from '../support/server.ts'
import { sideDoor } from '../support/side-door.ts'
import { differences } from '../support/truth.ts'
import { scratch } from '../support/warehouse.ts'

/** The sync runs every six seconds, and the report three seconds later. */
const SYNC = '*/6 * * * * *'
const REPORT = '3-57/6 * * * * *'

const others = Object.fromEntries(
  ['executive-summary', 'on-call-handover', 'reliability-review', 'severity-trend', 'team-overview'].map(
    (name) => [name, false],
  ),
)

let folder: string
let sandbox: Sandbox
let mails: SmtpServer
let hooks: HookServer
let environment: Record<string, string>
const started: Running[] = []

beforeAll(async () => {
  folder = scratch()
  sandbox = await startSandbox({ incidents: 100 })
  mails = await smtpServer()
  hooks = await hookServer()
  environment = {
    FAULTLINE_APP_KEY: sandbox.appKey,
    FAULTLINE_SMTP_PASSWORD: 'smtp-s3cret',
    FAULTLINE_WEBHOOK_SECRET: 'hook-s3cret',
  }
  mkdirSync(join(folder, 'mine'))
  writeFileSync(join(folder, 'mine', 'broken.md'), 'no front matter')
  configure(sandbox.baseUrl)
})

function configure(baseUrl: string): void {
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({
      baseUrl,
      reports: './mine',
      timezone: 'Europe/Berlin',
      schedule: {
        sync: SYNC,
        // Without this, the first start would build every included report.
        reports: { ...others, 'mtta-mttr': REPORT },
        retention: { runs: 2 },
      },
      delivery: {
        mail: {
          host: '127.0.0.1',
          port: mails.port,
          user: 'u',
          from: 'f@company.example',
          to: 'a@company.example',
        },
        webhook: { url: hooks.url },
      },
    }),
  )
}

afterAll(async () => {
  for (const { process } of started) process.kill('SIGKILL')
  await sandbox.close()
  await mails.close()
  await hooks.close()
})

function begin(): Running {
  const running = start(['start'], environment, folder)
  started.push(running)
  return running
}

function health(): Health | undefined {
  const path = join(folder, 'faultline.duckdb.health.json')
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Health) : undefined
}

async function until(what: string, holds: (health: Health) => boolean): Promise<Health> {
  for (let turn = 0; turn < 2_400; turn++) {
    const state = health()
    if (state && holds(state)) return state
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`waited in vain until ${what}: ${JSON.stringify(health(), null, 2)}`)
}

const syncOf = (state: Health): JobHealth => state.jobs.sync!
const faults = (body: string) => sideDoor(sandbox.baseUrl, 'faults', body)

test('`faultline start` syncs and delivers reports on schedule, despite kills and outages', async () => {
  const first = begin()
  const synced = await until('the first sync', (state) => typeof syncOf(state).succeededAt === 'string')
  await until('the next sync', (state) => syncOf(state).succeededAt! > syncOf(synced).succeededAt!)
  const reportOf = (state: Health) => state.jobs['report:mtta-mttr']
  const made = await until('the first page', (state) => typeof reportOf(state)?.succeededAt === 'string')
  expect(readFileSync(join(folder, 'out/index.html'), 'utf8')).toContain('"mtta-mttr.html"')
  // Waits for a second report, because the first one is for the administrator and is not sent. On a busy machine, the
  // next run begins immediately.
  await until(
    'a report of the schedule',
    (state) => reportOf(state)!.succeededAt! > reportOf(made)!.succeededAt!,
  )
  expect(mails.logins[0]).toBe('u:smtp-s3cret')
  expect(mails.mails[0]?.to).toEqual(['a@company.example'])
  expect(JSON.parse(hooks.posts[0]!.body)).toMatchObject({ report: 'mtta-mttr', kpis: expect.any(Array) })
  expect(hooks.posts[0]?.headers['x-faultline-signature']).toMatch(/^sha256=[0-9a-f]{64}$/)
  const well = await run(['start', '--health'], environment, folder)
  expect(well).toMatchObject({ code: 0, out: 'healthy\n' })
  const status = await run(['status', '--json'], environment, folder)
  expect(JSON.parse(status.out).schedule).toMatchObject({ next: { sync: expect.any(String) }, problems: [] })
  const second = await run(['start'], environment, folder)
  expect(second.code).toBe(1)
  expect(second.err).toContain(`process ${first.process.pid}`)

  await faults('{"slow_ms":100000}')
  await until('a sync that hangs', (state) => syncOf(state).outcome === 'running')
  first.process.kill('SIGKILL')
  const killed = await first.ended
  expect(killed.signal).toBe('SIGKILL')
  expect(killed.err).toMatch(/not scheduled","report":"broken"/)
  await faults('{}')

  const restarted = new Date().toISOString()
  const next = begin()
  const again = await until('the sync after the kill', (state) => syncOf(state).succeededAt! > restarted)
  expect(syncOf(again).failures).toBe(0)

  // SIGTERM in the middle of a sync ends the process cleanly.
  await faults('{"slow_ms":100000}')
  await until('another sync that hangs', (state) => syncOf(state).outcome === 'running')
  next.process.kill('SIGTERM')
  const stopped = await next.ended
  expect(stopped.code).toBe(0)
  expect(health()).toMatchObject({ state: 'stopped', jobs: { sync: { outcome: 'stopped', failures: 0 } } })
  const gone = await run(['start', '--health'], environment, folder)
  expect(gone.code).toBe(1)
  expect(gone.err).toMatch(/was stopped/)
  await faults('{}')

  // The service has moved to another address, so the sync fails, and the monitoring shows that.
  const resumed = new Date().toISOString()
  const last = begin()
  await until('the sync after the stop', (state) => syncOf(state).succeededAt! > resumed)
  expect(await differences(sandbox.baseUrl, join(folder, 'faultline.duckdb'))).toEqual([])
  configure('http://127.0.0.1:9')
  // Waits for the recorded failure, not for the end of a run, because a failing sync that takes longer than its
  // interval runs again immediately.
  await until('a sync that fails', (state) => syncOf(state).failures > 0)
  const unwell = await run(['start', '--health', '--json'], environment, folder)
  expect(unwell.code).toBe(1)
  expect(JSON.parse(unwell.out)).toMatchObject({
    healthy: false,
    problems: [expect.stringContaining('sync failed')],
  })
  // A closed terminal sends SIGHUP.
  last.process.kill('SIGHUP')
  const end = await last.ended
  expect(end.code).toBe(0)

  // Every line of every log is JSON, and no log or state contains a secret.
  const lines = [killed, stopped, end].flatMap(({ err }) => err.trim().split('\n'))
  for (const line of lines)
    expect(Object.keys(JSON.parse(line))).toEqual(expect.arrayContaining(['time', 'level', 'message']))
  const said = [...lines, JSON.stringify(health()), second.err, unwell.out].join('\n')
  expect(said).not.toMatch(/s3cret/)
  expect(said).not.toContain(sandbox.appKey)
}, 300_000)
