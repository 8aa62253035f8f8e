import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CheckResult } from '../../../src/cli/check/check-result.ts'
import { runCheck } from '../../../src/cli/check/run-check.ts'
import { createClient } from '../../../src/client/client.ts'
import { operations } from '../../../src/contract/index.ts'
import { realEffects } from '../../../src/effects.ts'
import { allReports } from '../../../src/report/report-catalog.ts'
import { resources } from '../../../src/resources/index.ts'
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts'
import { ACCOUNT_ID } from '../../../src/sandbox/world/company.ts'
import { defaultSettings } from '../../../src/settings/settings.ts'
import { listening } from '../../support/console.ts'
import { ownFolder } from '../../support/folder.ts'
import { sideDoor } from '../../support/side-door.ts'
import { openWarehouse, sync } from '../../support/storage.ts'
import { preparedWarehouse } from '../../support/warehouse.ts'

const folder = ownFolder()
const warehouse = join(folder, 'warehouse.duckdb')
const none = join(folder, 'none.duckdb')
/** Short reports that replace the included reports, which take seconds to compile. */
const plain = join(folder, 'plain')
let sandbox: Sandbox

beforeAll(async () => {
  mkdirSync(plain)
  for (const { name } of allReports(undefined))
    writeFileSync(join(plain, `${name}.md`), '---\ntitle: Plain\n---\nText.\n')
  sandbox = await startSandbox({ incidents: 150, limits: false })
  preparedWarehouse(warehouse, ACCOUNT_ID)
  await syncOnce()
}, 300_000)
afterAll(() => sandbox.close())

async function syncOnce(path = warehouse, acceptUnproven = false) {
  const effects = realEffects()
  const signal = new AbortController().signal
  const client = createClient({ ...sandbox, quota: Number.POSITIVE_INFINITY, effects })
  const scope = (now: number) => ({
    now,
    since: now - 30 * 86_400,
    lookbackDays: 1,
    windowSeconds: 86_400 * 30,
    full: false,
    acceptUnproven,
  })
  const result = await sync({
    client,
    effects,
    signal,
    scope,
    path,
    resources,
    known: resources,
    settings: defaultSettings,
    concurrency: 4,
    version: '1.2.3',
  })
  await client.close()
  expect(result.published).toBe(true)
}

interface Checked {
  readonly status: number
  readonly findings: readonly CheckResult[]
  readonly text: string
}

function configure(fields: object = {}, key = sandbox.appKey): string {
  const config = join(folder, 'config.json')
  writeFileSync(join(folder, 'app-key'), key, { mode: 0o600 })
  writeFileSync(
    config,
    JSON.stringify({ baseUrl: sandbox.baseUrl, appKeyFile: 'app-key', warehouse: none, ...fields }),
    { mode: 0o600 },
  )
  return config
}

/** Runs `check` and verifies that it changed no file. */
async function check(fields: object = {}, key = sandbox.appKey): Promise<Checked> {
  const config = configure(fields, key)
  const before = filesIn(folder)
  const context = listening({ config })
  const status = await runCheck(context, { json: true })
  expect(filesIn(folder)).toEqual(before)
  const told = context.results.concat(context.notes).join('\n')
  const { findings } = JSON.parse(context.results.join('\n')) as Checked
  return { status, findings, text: told }
}

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((file) => `${file} ${statSync(join(path, file)).size} ${statSync(join(path, file)).mtimeMs}`)
    .sort()
}

const levels = ({ findings }: Checked, level: CheckResult['level']) =>
  findings.filter((finding) => finding.level === level).map((finding) => finding.check)

describe('`faultline check`', () => {
  test('sends one request per resource, and passes if all requests succeed', async () => {
    const before = sandbox.stats().requests
    const checked = await check({ warehouse })
    expect(levels(checked, 'fail')).toEqual([])
    expect(levels(checked, 'warn')).toEqual([])
    expect(checked.status).toBe(0)
    expect(levels(checked, 'ok')).toEqual(
      expect.arrayContaining([
        'config',
        'key',
        'service',
        'clock',
        ...resources.map(({ table }) => `read ${table}`),
        'limits',
        'warehouse',
        'disk',
        'complete',
        'files',
        'reports',
        'schedule',
        'delivery',
      ]),
    )
    expect(sandbox.stats().requests - before).toBe(1 + resources.length)
    expect(resources.some(({ operation }) => operations[operation].writes)).toBe(false)
  })

  test('warns of unverified windows of the last sync', async () => {
    const other = join(folder, 'unproven.duckdb')
    preparedWarehouse(other, ACCOUNT_ID)
    const finding = async () =>
      (await check({ warehouse: other, reports: plain })).findings.find((one) => one.check === 'complete')
    await sideDoor(sandbox.baseUrl, 'faults', { drop_row: 1 })
    await syncOnce(other)
    const unproven = await finding()
    expect(unproven).toMatchObject({ level: 'warn', next: expect.stringContaining('--accept-unproven') })
    expect(unproven?.message).toMatch(/^incomplete or unverified windows: \d+ of incidents /)
    await syncOnce(other, true)
    expect(await finding()).toMatchObject({
      level: 'ok',
      message: expect.stringMatching(/^windows accepted as incomplete: \d+ of incidents .*, 1 of members /),
    })
    await sideDoor(sandbox.baseUrl, 'faults', {})
    await syncOnce(other)
    expect(await finding()).toEqual({
      check: 'complete',
      level: 'ok',
      message: 'all windows of the last sync were verified',
    })
  })

  test('prints the next step below a failed check', async () => {
    const context = listening({ config: configure(), baseUrl: 'http://127.0.0.1:9' })
    expect(await runCheck(context, {})).toBe(1)
    const text = context.results.join('\n')
    expect(text).toMatch(/^ok {4}config {2,}/m)
    expect(text).toMatch(/^FAIL {2}service {2,}.*not reached.*\n {6}Check the network/m)
  }, 20_000)

  test('reports each resource that the key may not read, with the missing permission', async () => {
    const powerless = sandbox.appKeys.find(({ name }) => name === 'none')!.key
    const checked = await check({}, powerless)
    expect(checked.status).toBe(1)
    const refused = resources.filter(({ operation }) => operations[operation].permissions.length > 0)
    expect(refused.length).toBeGreaterThan(0)
    expect(levels(checked, 'fail')).toEqual(refused.map(({ table }) => `read ${table}`))
    expect(checked.findings.find((one) => one.check === 'read incidents')?.next).toContain(
      'incident view (on-call)',
    )
  })

  test('reports a key that the service does not know, without showing the key', async () => {
    const checked = await check({}, 'not-a-key-of-anybody')
    expect(checked.status).toBe(1)
    expect(levels(checked, 'fail')).toEqual(['service'])
    expect(checked.text).not.toContain('not-a-key-of-anybody')
  })

  test('warns if the clock of this machine differs from the clock of the service', async () => {
    await sideDoor(sandbox.baseUrl, 'clock', { advance_s: 10_800 })
    const checked = await check()
    expect(checked.status).toBe(0)
    expect(levels(checked, 'warn')).toEqual(['clock'])
    expect(checked.findings.find((one) => one.check === 'clock')?.message).toMatch(/3 h behind/)
  })
})

describe('`faultline check`', () => {
  test('reports an invalid schedule time and a missing mail password', async () => {
    const mail = { host: 'smtp.example', user: 'u', from: 'f@company.example', passwordFile: 'password' }
    const late = await check({ schedule: { sync: '30 25 * * *' } })
    expect([late.status, levels(late, 'fail')]).toEqual([2, ['config']])
    expect(late.text).toContain('config.json:1: schedule.sync: ')
    const wrong = await check({ delivery: { mail } })
    expect([wrong.status, levels(wrong, 'fail')]).toEqual([2, ['delivery']])
    writeFileSync(join(folder, 'password'), 'smtp-s3cret', { mode: 0o644 })
    const webhook = { url: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=s3cret', style: 'wecom' }
    const open = await check({ timezone: 'Europe/Berlin', delivery: { mail, webhook } })
    expect(levels(open, 'fail')).toEqual([])
    expect(open.findings.find((one) => one.check === 'schedule')?.message).toMatch(
      /^sync next at \d{4}-\d\d-\d\d 02:30:00\+0[12]:00/,
    )
    expect(open.findings.find((one) => one.check === 'delivery')?.message).toContain(
      'mail by smtp.example:587, the webhook of WeCom',
    )
    expect(open.findings.find((one) => one.check === 'files')).toMatchObject({ level: 'warn' })
    expect(open.text).not.toContain('s3cret')
  })

  test('exits with status 2 if the configuration is invalid or the key is missing', async () => {
    const wrong = await check({ basUrl: 'x' })
    expect(wrong.status).toBe(2)
    expect(wrong.findings).toMatchObject([{ check: 'config', level: 'fail' }])
    expect((await check({ resources: ['incidentz'] })).findings[0]?.next).toContain('incidents')
    const keyless = await check({}, '')
    expect(keyless.status).toBe(2)
    expect(levels(keyless, 'fail')).toEqual(['key'])
    expect(levels(keyless, 'ok')).toContain('reports')
    const placeless = await check({ baseUrl: 'https://service.example?a=b' })
    expect(levels(placeless, 'fail')).toEqual(['address'])
  })

  test.skipIf(process.platform === 'win32')('warns of private files that other users can read', async () => {
    const config = configure({ warehouse, reports: './plain' })
    for (const file of [config, warehouse, join(folder, 'app-key')]) chmodSync(file, 0o644)
    const context = listening({ config })
    await runCheck(context, { json: true })
    const { findings } = JSON.parse(context.results.join('')) as Checked
    const files = findings.find((one) => one.check === 'files')
    expect(files?.level).toBe('warn')
    for (const file of [config, warehouse, join(folder, 'app-key')]) {
      expect(files?.next).toContain(file)
      chmodSync(file, 0o600)
    }
  })

  test('reports the name and line of a report that does not compile', async () => {
    const broken = join(plain, 'broken.md')
    writeFileSync(
      broken,
      '---\ntitle: Broken\n---\n\n```sql a\nselect no_such_column from scoped_incidents\n```\n',
    )
    const checked = await check({ warehouse, reports: './plain' })
    rmSync(broken)
    expect(checked.status).toBe(1)
    expect(levels(checked, 'fail')).toEqual(['report broken'])
    expect(checked.findings.find((one) => one.check === 'report broken')?.message).toMatch(
      /broken\.md:\d+: .*no_such_column/,
    )
  })

  test('fails if the warehouse file is not a warehouse or its folder is missing', async () => {
    const nothing = await check()
    expect(nothing.findings.find((one) => one.check === 'warehouse')).toMatchObject({ level: 'ok' })
    expect(nothing.findings.find((one) => one.check === 'warehouse')?.message).toContain('does not exist yet')
    expect(levels(await check({ warehouse: '/no/such/folder/w.duckdb' }), 'fail')).toEqual(['warehouse'])
    const other = join(folder, 'other.duckdb')
    writeFileSync(other, 'this is no database', { mode: 0o600 })
    expect(levels(await check({ warehouse: other }), 'fail')).toEqual(['warehouse'])
  })

  test('prints each configuration error on a separate line', async () => {
    const context = listening({ config: configure({ basUrl: 'x', timezone: 'Berln' }) })
    expect(await runCheck(context, {})).toBe(2)
    const lines = context.results.join('\n').split('\n')
    expect(lines.filter((line) => /^ {31}.*config\.json:\d+: /.test(line))).toHaveLength(2)
    const none = await check({ reports: './none' })
    expect(none.findings.findLast((one) => one.check === 'reports')).toMatchObject({
      level: 'warn',
      message: expect.stringContaining('none does not exist'),
    })
  })

  test('names the process that is writing to the warehouse', async () => {
    const writer = await openWarehouse(warehouse, resources, { accountId: 1n })
    try {
      const { findings } = await check({ warehouse, reports: './plain' })
      expect(findings.find((one) => one.check === 'warehouse')?.message).toContain(`process ${process.pid}`)
    } finally {
      await writer.close()
    }
  })
})
