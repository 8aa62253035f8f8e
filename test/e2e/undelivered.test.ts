import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import type { Health } from '../../src/schedule/health.ts'
import { type Running, run, start } from '../support/cli.ts'
import { type HookServer, hookServer } from '../support/server.ts'

let folder: string
let sandbox: Sandbox
let hooks: HookServer
let isDown = true
let environment: Record<string, string>
const started: Running[] = []

/** Once a day, some seconds from now. */
function soon(seconds: number): string {
  const time = new Date(Date.now() + 1_000 * seconds)
  return `${time.getUTCSeconds()} ${time.getUTCMinutes()} ${time.getUTCHours()} * * *`
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-undelivered-'))
  sandbox = await startSandbox({ incidents: 60, limits: false })
  let sayZCame = () => {}
  const zCame = new Promise<void>((resolve) => {
    sayZCame = resolve
  })
  hooks = await hookServer(async (response, count) => {
    const { report } = JSON.parse(hooks.posts[count - 1]!.body) as { report: string }
    if (report === 'z') sayZCame()
    // The last try is answered after the others are sent, so that a slow machine keeps this order.
    if (isDown && report === 'a' && posts('a').length === 3) await zCame
    response.writeHead(isDown && report === 'a' ? 503 : 204).end()
  })
  environment = { FAULTLINE_APP_KEY: sandbox.appKey, FAULTLINE_BASE_URL: sandbox.baseUrl }
  mkdirSync(join(folder, 'mine'))
  for (const name of ['a', 'b', 'endless', 'z']) {
    const body =
      name === 'endless'
        ? '```sql q\nwith recursive r(i) as (select 1 union all select i + 1 from r) select count(*) as n from r\n```'
        : '# hi'
    writeFileSync(join(folder, 'mine', `${name}.md`), `---\ntitle: ${name}\n---\n${body}\n`)
  }
  const included = ['executive-summary', 'mtta-mttr', 'on-call-handover', 'reliability-review']
  const off = [...included, 'severity-trend', 'team-overview'].map((name) => [name, false])
  expect((await run(['sync'], environment, folder)).code).toBe(0)
  const time = soon(20)
  const reports = { ...Object.fromEntries(off), a: time, b: time, endless: time, z: time }
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({
      reports: './mine',
      reporting: { timeout: '10s' },
      schedule: { reports },
      delivery: { webhook: { url: hooks.url } },
    }),
  )
})

afterAll(async () => {
  for (const { process } of started) process.kill('SIGKILL')
  await sandbox.close()
  await hooks.close()
  rmSync(folder, { recursive: true })
})

function begin(): Running {
  const running = start(['start'], environment, folder)
  started.push(running)
  return running
}

async function until(what: string, holds: (health: Health) => boolean): Promise<Health> {
  const path = join(folder, 'faultline.duckdb.health.json')
  for (let turn = 0; turn < 2_400; turn++) {
    const state = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Health) : undefined
    if (state && holds(state)) return state
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`waited in vain until ${what}: ${readFileSync(path, 'utf8')}`)
}

/** Waits until a running command prints a match. */
function says({ process }: Running, what: RegExp): Promise<void> {
  let text = ''
  return new Promise((resolve) => {
    process.stderr!.on('data', (chunk) => {
      text += chunk
      if (what.test(text)) resolve()
    })
  })
}

const posts = (report: string) => hooks.posts.filter(({ body }) => JSON.parse(body).report === report)

test('a failing target and an endless query delay no other report, and the rest is sent after a restart', async () => {
  const first = begin()
  const told = says(first, /"job ended","job":"report:a","outcome":"undelivered".*"next":"/)
  // Sent reports are recorded before the process is killed.
  const state = await until(
    'it is not delivered, and the others are',
    ({ jobs }) =>
      jobs['report:a']?.outcome === 'undelivered' &&
      [jobs['report:b'], jobs['report:z']].every(
        (job) => job?.outcome === 'ok' && job.dueAt === jobs['report:a']!.dueAt,
      ),
  )
  expect(posts('a')).toHaveLength(3)
  expect(state.jobs['report:a']!.error).toContain('HTTP 503')
  expect(state.jobs['report:endless']!.error).toContain('took longer than 10 s')
  // Both were made and sent during that wait, so its last answer came after theirs.
  expect([posts('b').length, posts('z').length]).toEqual([1, 1])
  const minutes =
    Date.parse(state.jobs['report:a']!.nextRunAt!) - Date.parse(state.jobs['report:a']!.finishedAt!)
  expect(minutes).toBe(5 * 60_000)
  await told
  first.process.kill('SIGKILL')
  const { err } = await first.ended
  expect(err.match(/retrying delivery in \d+ s/g)).toHaveLength(2)

  isDown = false
  const again = begin()
  await until('it is delivered', ({ jobs }) => jobs['report:a']?.outcome === 'ok')
  again.process.kill('SIGTERM')
  expect((await again.ended).code).toBe(0)
  expect(posts('a')).toHaveLength(4)
  expect(new Set(posts('a').map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  expect([posts('b').length, posts('z').length]).toEqual([1, 1])
  // It was sent for its scheduled time, so no caller sends it again.
  const due = await run(['report', 'a', 'b', 'z', '--due'], environment, folder)
  expect(due.out).toBe('No report is due.\n')
}, 240_000)
