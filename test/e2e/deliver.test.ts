import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { run, start } from '../support/cli.ts'
import { smtpServer } from '../support/mail-server.ts'
import { type HookServer, hookServer } from '../support/server.ts'

/** Reports of a folder's own that are made at once: what the included ones look like when sent is for test/delivery. */
function plainReports(folder: string, ...names: readonly string[]) {
  mkdirSync(join(folder, 'mine'))
  for (const name of names)
    writeFileSync(join(folder, 'mine', `${name}.md`), `---\ntitle: ${name}\n---\n# hi\n`)
}

test('report --deliver: a way that fails is said and ends in 1, the others are gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-deliver-'))
  const sandbox = await startSandbox({ incidents: 150, limits: false })
  const mails = await smtpServer()
  const hooks = await hookServer((response) => response.writeHead(404).end())
  try {
    const environment = {
      FAULTLINE_APP_KEY: sandbox.appKey,
      FAULTLINE_BASE_URL: sandbox.baseUrl,
      FAULTLINE_SMTP_PASSWORD: 'smtp-s3cret',
      FAULTLINE_WEBHOOK_URL: `${hooks.url}/T0P/hook-s3cret`,
    }
    const delivery = (webhook?: object) => ({
      mail: {
        host: '127.0.0.1',
        port: mails.port,
        user: 'u',
        from: 'f@company.example',
        to: 'a@company.example',
      },
      ...(webhook && { webhook }),
    })
    const configure = (fields: object) =>
      writeFileSync(join(folder, 'config.json'), JSON.stringify({ reports: './mine', ...fields }))
    plainReports(folder, 'one', 'two')
    configure({ delivery: delivery({}) })
    expect((await run(['sync'], environment, folder)).code).toBe(0)
    const failed = await run(['report', 'one', 'two', '--deliver'], environment, folder)
    expect(failed.code).toBe(1)
    expect(failed.err.match(/^error: .*HTTP 404/gm)).toHaveLength(2)
    expect(failed.out + failed.err).not.toMatch(/s3cret/)
    expect(mails.mails).toHaveLength(2)
    expect(hooks.posts.map(({ url }) => url)).toEqual(['/hook/T0P/hook-s3cret', '/hook/T0P/hook-s3cret'])
    expect(existsSync(join(folder, 'out', 'index.html'))).toBe(true)

    configure({ delivery: delivery() })
    const done = await run(['report', 'one', '--deliver'], environment, folder)
    expect(done.err).toBe('')
    expect(done.code).toBe(0)
    expect(done.out).toMatch(/one: already sent to a@company.example at 20.*--again sends it again/)
    expect(mails.mails).toHaveLength(2)
    const again = await run(['report', 'one', '--deliver', '--again'], environment, folder)
    expect(again.out).toContain('one: sent to a@company.example\n')

    // A password that is missing is told before anything is made or sent.
    const { FAULTLINE_SMTP_PASSWORD: _, ...without } = environment
    const refused = await run(['report', 'one', '--deliver'], without, folder)
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('FAULTLINE_SMTP_PASSWORD')
    expect((await run(['start'], without, folder)).code).toBe(2)
    expect(mails.mails).toHaveLength(3)
  } finally {
    await sandbox.close()
    await mails.close()
    await hooks.close()
    rmSync(folder, { recursive: true })
  }
}, 300_000)

describe('what was sent', () => {
  let folder: string
  let sandbox: Sandbox
  let hooks: HookServer
  let environment: Record<string, string>
  /** The start of this hour, each day: due, and not again before the test ends. */
  const daily = `0 ${new Date().getUTCHours()} * * *`
  /** Three days ago, each week. */
  const weekly = `0 8 * * ${(new Date().getUTCDay() + 4) % 7}`

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'faultline-sent-'))
    sandbox = await startSandbox({ incidents: 150, limits: false })
    hooks = await hookServer()
    environment = { FAULTLINE_APP_KEY: sandbox.appKey, FAULTLINE_BASE_URL: sandbox.baseUrl }
    mkdirSync(join(folder, 'mine'))
    const page = (name: string, front: string, body: string) =>
      writeFileSync(join(folder, 'mine', `${name}.md`), `---\ntitle: ${name}\n${front}\n---\n${body}\n`)
    page('daily', `schedule: "${daily}"`, '# hi')
    page('weekly', `schedule: "${weekly}"`, '# hi')
    const gate = 'fail_if: [{ name: g, when: q.n > 0, message: "It tripped." }]'
    page('gated', `schedule: "${daily}"\n${gate}`, '```sql q\nselect 1 as n\n```')
    page('broken', `schedule: "${daily}"`, '```sql a\nselect nothing\n```')
    page('never', '', '# hi')
    const own = ['daily', 'weekly', 'gated', 'broken', 'never']
    const included = ['executive-summary', 'mtta-mttr', 'on-call-handover', 'reliability-review']
    const off = [...included, 'severity-trend', 'team-overview'].map((name) => [name, false])
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({
        reports: './mine',
        schedule: { reports: Object.fromEntries(off) },
        delivery: { folder: false, webhook: { url: hooks.url, reports: own } },
      }),
    )
    expect((await run(['sync'], environment, folder)).code).toBe(0)
  })
  afterAll(async () => {
    await sandbox.close()
    await hooks.close()
    rmSync(folder, { recursive: true })
  })
  const sent = (from = 0) => hooks.posts.slice(from).map(({ body }) => JSON.parse(body).report as string)

  test('is sent once by three tries of a cluster, though a report is broken and a gate trips; the weekly one is not due', async () => {
    for (let turn = 0; turn < 3; turn++) {
      const tried = await run(['report', '--due'], environment, folder)
      expect(tried.code).toBe(turn === 0 ? 3 : 1)
      expect(tried.err).toContain('broken.md')
      // The next try begins with a sync.
      expect((await run(['sync'], environment, folder)).code).toBe(0)
    }
    expect(sent().sort()).toEqual(['daily', 'gated'])
    const gate = await run(['report', 'gated', '--due', '--again'], environment, folder)
    expect(gate.code).toBe(3)
    const nothing = await run(['report', 'daily', 'weekly', 'never', '--due'], environment, folder)
    expect(nothing).toMatchObject({ code: 0, out: 'No report is due.\n' })
    // Of a week that it was not sent in, since it was sent before.
    const file = join(folder, 'faultline.duckdb.deliveries.ndjson')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const old = {
      key: 'x',
      report: 'weekly',
      due: '2026-01-05T08:00:00.000Z',
      sent_at: '2026-01-05T08:00:01Z',
    }
    appendFileSync(file, `torn {\n${JSON.stringify(old)}\n`)
    expect((await run(['report', 'weekly', '--due'], environment, folder)).code).toBe(0)
    expect(sent().at(-1)).toBe('weekly')
  })

  test('is sent twice at most by a process that is killed between the answer and its note, with one id', async () => {
    const before = hooks.posts.length
    const killer = join(folder, 'kill.mjs')
    writeFileSync(
      killer,
      `import fs from 'node:fs'
      import { syncBuiltinESMExports } from 'node:module'
      const { openSync } = fs
      fs.openSync = (path, ...rest) => {
        if (String(path).endsWith('deliveries.ndjson')) process.kill(process.pid, 'SIGKILL')
        return openSync(path, ...rest)
      }
      syncBuiltinESMExports()`,
    )
    const killed = await start(
      ['report', 'never', '--deliver'],
      { ...environment, NODE_OPTIONS: `--import ${killer}` },
      folder,
    ).ended
    expect(killed.signal).toBe('SIGKILL')
    expect(sent(before)).toEqual(['never'])
    for (let turn = 0; turn < 2; turn++)
      expect((await run(['report', 'never', '--deliver'], environment, folder)).code).toBe(0)
    expect(sent(before)).toEqual(['never', 'never'])
    const ids = hooks.posts.slice(before).map(({ headers }) => headers['idempotency-key'])
    expect(new Set(ids).size).toBe(1)
  })
}, 300_000)
