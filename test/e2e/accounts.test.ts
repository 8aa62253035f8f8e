import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { run } from '../support/cli.ts'
import { preparedWarehouse, scratch } from '../support/warehouse.ts'

const NOW = 1_767_225_600

let folder: string
let warehouse: string
let emea: Sandbox
let apac: Sandbox
let environment: Record<string, string>

beforeAll(async () => {
  folder = scratch()
  warehouse = join(folder, 'faultline.duckdb')
  // Both sandboxes use the same seed, so all ids are equal except those of the accounts.
  emea = await startSandbox({ now: NOW, incidents: 150, accountId: 11, limits: false })
  apac = await startSandbox({
    now: NOW,
    incidents: 150,
    accountId: 12,
    limits: false,
    appKey: 'the-key-of-apac',
  })
  writeFileSync(join(folder, 'emea.key'), emea.appKey)
  preparedWarehouse(warehouse, 11, 12)
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({
      resources: ['incidents', 'channels', 'teams', 'members'],
      sync: { lookbackDays: 366 },
      accounts: [
        { name: 'EMEA', baseUrl: emea.baseUrl, appKeyFile: './emea.key' },
        { name: 'APAC', baseUrl: apac.baseUrl, appKeyEnv: 'KEY_OF_APAC' },
      ],
    }),
  )
  environment = { KEY_OF_APAC: apac.appKey }
})

afterAll(async () => {
  for (const sandbox of [emea, apac]) await sandbox.close()
})

const faultline = (...args: string[]) => run(args, environment, folder)

describe('a configuration of two accounts', () => {
  test('fills a single warehouse, and reports can cover one account or both', async () => {
    const plan = await faultline('sync', '--plan', '--json')
    expect(plan.code).toBe(0)
    expect(JSON.parse(plan.out).accounts).toMatchObject([
      { name: 'EMEA', requests: expect.any(Number) },
      { name: 'APAC', requests: expect.any(Number) },
    ])
    const synced = await faultline('sync', '--json')
    expect(synced.err).not.toContain('error')
    expect(JSON.parse(synced.out)).toMatchObject({
      published: true,
      accounts: [
        { name: 'EMEA', accountId: 11, status: 'ok' },
        { name: 'APAC', accountId: 12, status: 'ok' },
      ],
    })
    const status = JSON.parse((await faultline('status', '--json')).out)
    expect(new Set(status.runs.map(({ account }: { account: string }) => account))).toEqual(
      new Set(['APAC', 'EMEA']),
    )
    expect((await faultline('status')).out).toMatch(/^run +account +started/m)

    const call = await faultline('call', 'team/infos', '{"team_ids":[1]}')
    expect(call).toMatchObject({
      code: 2,
      err: expect.stringContaining('Choose one with --account: EMEA, APAC.'),
    })
    expect((await faultline('call', '--account', 'APAC', 'team/infos', '{"team_ids":[1]}')).code).toBe(0)

    const funnel = async (...args: string[]) => {
      const out = join(folder, `out${args.join('')}`)
      const { code, err } = await faultline('report', 'mtta-mttr', '--format', 'json', '--to', out, ...args)
      expect(err, args.join(' ')).not.toContain('error')
      expect(code).toBe(0)
      const { frame, counted } = JSON.parse(readFileSync(join(out, 'mtta-mttr.json'), 'utf8'))
      return { accounts: frame.accounts, read: counted.funnel[0].count }
    }
    const [across, one] = [await funnel(), await funnel('--account', 'EMEA')]
    expect(across.accounts).toBe('APAC, EMEA')
    expect(one.accounts).toBe('EMEA')
    expect(one.read).toBeGreaterThan(0)
    expect(across.read).toBe(2 * one.read)
    expect(await faultline('report', 'mtta-mttr', '--account', 'EMAE')).toMatchObject({
      err: expect.stringContaining('Did you mean "EMEA"?'),
    })
  }, 300_000)
})
