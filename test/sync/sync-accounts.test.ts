import { existsSync, rmSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { ConfigError, NetworkError } from '../../src/errors.ts'
import type { SyncedAccount } from '../../src/sync/read-account.ts'
import { sync, syncAccounts } from '../support/storage.ts'
import { preparedWarehouse } from '../support/warehouse.ts'
import { APAC, account, company, EMEA, LATAM, told, twoCompanies } from './two-companies.ts'

// Every sync uses HTTP and a file, so it takes seconds, or longer on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

const at = twoCompanies()
const { bothSynced, common, differ, query, rowsOf, syncAll } = at

describe('several accounts in one warehouse', () => {
  test('are stored as their services return them, although all ids are equal', async () => {
    const accounts = bothSynced()
    expect(told(at.first)).toEqual({ published: true, EMEA: 'ok', APAC: 'ok' })
    const [same] = await query(
      `select count(*)::int as n from incidents a join incidents b using (incident_id)
       where a.account_id = ${EMEA} and b.account_id = ${APAC}`,
    )
    expect(same!.n).toBeGreaterThan(60)
    expect(await differ(at.emea, EMEA)).toEqual([])
    expect(await differ(at.apac, APAC)).toEqual([])
    expect(await query('select account_id::int as id, name from accounts order by id')).toEqual([
      { id: EMEA, name: 'EMEA' },
      { id: APAC, name: 'APAC' },
    ])
    expect(
      await query('select account_id::int as id, account_name, status from sync_runs order by 1'),
    ).toEqual([
      { id: EMEA, account_name: 'EMEA', status: 'ok' },
      { id: APAC, account_name: 'APAC', status: 'ok' },
    ])
    const counts = `select (select count(*) from members)::int as members,
      (select count(*) from incident_versions)::int as versions, (select count(*) from channels)::int as channels`
    const before = await query(counts)
    const again = await syncAll(...accounts)
    for (const one of again.outcomes) {
      expect(one).toMatchObject({ summary: { status: 'ok', replaced: 0, vanished: 0 } })
    }
    expect(await query(counts)).toEqual(before)
    expect(await differ(at.emea, EMEA)).toEqual([])
  })

  test('are not affected by an account that hangs', async () => {
    preparedWarehouse(at.path, EMEA, APAC, LATAM)
    const latam = await company(LATAM)
    const stop = new AbortController()
    const stopped = new Promise<never>((_, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason))
    })
    const usual = account('APAC', at.apac)
    const hanging = { ...usual, connect: () => ({ ...usual.connect(), read: () => stopped }) }
    const accounts = [hanging, account('EMEA', at.emea), account('LATAM', latam)]
    const syncing = syncAccounts({ ...common(), accounts, signal: stop.signal })
    const isPublished = async (id: number) => existsSync(at.path) && (await rowsOf(id)) !== 0
    await vi.waitUntil(async () => (await isPublished(EMEA)) && isPublished(LATAM), {
      timeout: 90_000,
      interval: 200,
    })
    stop.abort(new Error('enough'))
    await expect(syncing).rejects.toThrow('enough')
    for (const [sandbox, id] of [
      [at.emea, EMEA],
      [latam, LATAM],
    ] as const) {
      expect(await differ(sandbox, id)).toEqual([])
    }
    expect(await rowsOf(APAC)).toBe(0)
  })

  test('are all published except for an account whose windows cannot be read', async () => {
    preparedWarehouse(at.path, EMEA, APAC)
    const usual = account('APAC', at.apac)
    const connect = () => {
      const client = usual.connect()
      const read: typeof client.read = (name, ...given) =>
        name === 'incident/list' ? Promise.reject(new NetworkError('cut')) : client.read(name, ...given)
      return { ...client, read }
    }
    const { outcomes } = await syncAll({ ...usual, connect }, account('EMEA', at.emea))
    expect(outcomes).toMatchObject([{ published: false }, { published: true }])
    expect(await query('select distinct account_id::int as id from sync_runs')).toEqual([{ id: EMEA }])
  })
})

describe('the app keys of several accounts', () => {
  test('are reported if missing, while the other accounts are synced', async () => {
    preparedWarehouse(at.path, EMEA)
    const keyless = (name: string | null): SyncedAccount => ({
      ...account(name, at.emea),
      connect() {
        throw new ConfigError('There is no app key.')
      },
    })
    const result = await syncAll(keyless('none'), account('EMEA', at.emea))
    expect(told(result)).toEqual({ published: true, EMEA: 'ok', none: 'There is no app key.' })
    rmSync(at.folder, { recursive: true })
    expect(told(await syncAll(keyless('none')))).toEqual({ published: false, none: 'There is no app key.' })
    expect(existsSync(at.folder)).toBe(false)
  })

  test('are rejected if two account names have keys of the same account', async () => {
    preparedWarehouse(at.path, EMEA)
    // The account whose request arrives first is synced, the second is rejected.
    const twins = told(await syncAll(account('one', at.emea), account('two', at.emea)))
    const refusals = [twins.one, twins.two].filter((one) => one !== 'ok')
    expect(refusals).toEqual([
      expect.stringMatching(/^"(one|two)" and "(one|two)" are the same account 11\.$/),
    ])
    await syncAll(account('one', at.emea))
    expect(told(await syncAll(account('one', at.apac)))).toMatchObject({
      published: false,
      one: expect.stringMatching(
        /^The app key of "one" belongs to account 12, but in .* that name is account 11\.$/,
      ),
    })
    expect(await rowsOf(APAC)).toBe(0)
    // Another name for the same account is allowed.
    await syncAll(account('EMEA', at.emea))
    expect(await query('select name from accounts')).toEqual([{ name: 'EMEA' }])
  })

  test('are rejected for an unnamed account if the warehouse contains another account', async () => {
    preparedWarehouse(at.path, EMEA)
    await syncAll(account('EMEA', at.emea))
    const alone = { ...common(), ...account(null, at.apac), client: account(null, at.apac).connect() }
    await expect(sync(alone)).rejects.toThrow(
      `This app key belongs to account 12, but ${at.path} contains account 11. Reports would mix the two.`,
    )
    // A sync of the account that the warehouse contains may still omit the name.
    const own = { ...common(), ...account(null, at.emea), client: account(null, at.emea).connect() }
    expect(await sync(own)).toMatchObject({ status: 'ok', published: true })
  })
})
