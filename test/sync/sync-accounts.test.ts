import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import { realEffects } from '../../src/effects.ts'
import { ConfigError } from '../../src/errors.ts'
import { resources as allResources } from '../../src/resources/index.ts'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import type { SyncedAccount } from '../../src/sync/read-account.ts'
import { type AccountsResult, sync, syncAccounts } from '../../src/sync/sync-accounts.ts'
import { takeLock } from '../../src/warehouse/file/file-lock.ts'
import { sideDoor } from '../support/side-door.ts'
import { differences, objects, withConnection } from '../support/truth.ts'
import { preparedWarehouse } from '../support/warehouse.ts'

const [NOW, DAY] = [1_795_262_400, 86_400]
const [EMEA, APAC, LATAM] = [11, 12, 13]
/** Post-mortems are read by a request each. */
const resources = allResources.filter(({ table }) => table !== 'post_mortems')

// Every sync is over HTTP and into a file: seconds on a quiet machine, more on a busy one.
vi.setConfig({ testTimeout: 120_000 })

let folder: string
let path: string
const sandboxes: Sandbox[] = []
const clients: Client[] = []

/** Two companies, and the folder of a warehouse into which both were synced once. */
let emea: Sandbox
let apac: Sandbox
const synced = mkdtempSync(join(tmpdir(), 'faultline-synced-'))
let first: AccountsResult
beforeAll(async () => {
  ;[emea, apac] = [await company(EMEA), await company(APAC)]
  sandboxes.length = 0
  path = join(synced, 'faultline.duckdb')
  preparedWarehouse(path, EMEA, APAC)
  first = await syncAll(account('EMEA', emea), account('APAC', apac))
})
afterAll(async () => {
  for (const sandbox of [emea, apac]) await sandbox.close()
  rmSync(synced, { recursive: true, force: true })
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-accounts-'))
  path = join(folder, 'faultline.duckdb')
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  for (const sandbox of sandboxes.splice(0)) await sandbox.close()
  for (const { baseUrl } of [emea, apac]) await sideDoor(baseUrl, 'clock', { now: NOW })
  rmSync(folder, { recursive: true, force: true })
})

/** Begins with both companies synced and published; their accounts. */
function bothSynced(): [SyncedAccount, SyncedAccount] {
  cpSync(synced, folder, { recursive: true })
  return [account('EMEA', emea), account('APAC', apac)]
}

/** A company of its own; with one seed, all ids but that of the account are those of the others. */
async function company(accountId: number, options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ now: NOW, limits: false, incidents: 100, accountId, ...options })
  sandboxes.push(sandbox)
  return sandbox
}

function account(name: string | null, sandbox: Sandbox, appKey = sandbox.appKey): SyncedAccount {
  return {
    name,
    connect() {
      const client = createClient({
        baseUrl: sandbox.baseUrl,
        appKey,
        quota: Number.POSITIVE_INFINITY,
        maxRetryMs: 1,
      })
      clients.push(client)
      return client
    },
    scope: (now) => ({
      now,
      // The sandbox's companies are 28 weeks old.
      since: now - 200 * DAY,
      lookbackDays: 366,
      windowSeconds: 31 * DAY,
      full: false,
    }),
  }
}

const common = () => ({
  path,
  resources,
  known: allResources,
  effects: realEffects(),
  concurrency: 4,
  jobs: 2,
  version: '1.2.3',
  signal: new AbortController().signal,
})
const syncAll = (...accounts: SyncedAccount[]) => syncAccounts({ ...common(), accounts })

/** What each outcome came to: its status, or why there was no run. */
const told = ({ outcomes, published }: AccountsResult) => ({
  published,
  ...Object.fromEntries(
    outcomes.map((one) => [one.name, 'summary' in one ? one.summary.status : one.error.message]),
  ),
})

/** Differences between what a service has and the rows of its account in a file. */
async function differ(sandbox: Sandbox, accountId: number, file = path): Promise<string[]> {
  const part = join(folder, `only-${accountId}.duckdb`)
  rmSync(part, { force: true })
  const instance = await DuckDBInstance.create(part)
  const connection = await instance.connect()
  await connection.run(`attach '${file}' as whole (read_only)`)
  for (const table of ['incidents', 'incident_responders']) {
    await connection.run(`create table ${table} as from whole.${table} where account_id = ${accountId}`)
  }
  connection.closeSync()
  instance.closeSync()
  return differences(sandbox.baseUrl, part)
}

const query = (sql: string, file = path) => withConnection(file, (connection) => objects(connection, sql))
const rowsOf = async (accountId: number, file = path) =>
  (await query(`select count(*)::int as n from incidents where account_id = ${accountId}`, file))[0]!.n
const workingFile = (account: number) => join(`${path}.sync`, `${account}.duckdb`)
const fault = (sandbox: Sandbox, faults: object) => sideDoor(sandbox.baseUrl, 'faults', faults)
const later = (sandbox: Sandbox, hours = 1) =>
  sideDoor(sandbox.baseUrl, 'clock', { advance_s: hours * 3_600 })

/** Every incident list of an account fails after this many: the run is broken off half-way. */
async function breakOff(sandbox: Sandbox, accounts: SyncedAccount[], after = 4) {
  const lists = () => sandbox.stats().operations['incident/list']?.['200'] ?? 0
  const before = lists()
  const stop = new AbortController()
  const timer = setInterval(() => {
    if (lists() - before >= after) stop.abort(new Error('killed'))
  }, 1)
  await fault(sandbox, { slow_ms: 30 })
  await expect(syncAccounts({ ...common(), accounts, signal: stop.signal })).rejects.toThrow('killed')
  clearInterval(timer)
  await fault(sandbox, {})
}

describe('several accounts in one warehouse', () => {
  test('each equal their service, though all ids are the same; a second sync changes nothing', async () => {
    const accounts = bothSynced()
    expect(told(first)).toEqual({ published: true, EMEA: 'ok', APAC: 'ok' })
    const [same] = await query(
      `select count(*)::int as n from incidents a join incidents b using (incident_id)
       where a.account_id = ${EMEA} and b.account_id = ${APAC}`,
    )
    expect(same!.n).toBeGreaterThan(60)
    expect(await differ(emea, EMEA)).toEqual([])
    expect(await differ(apac, APAC)).toEqual([])
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
    expect(await differ(emea, EMEA)).toEqual([])
  })

  test('one that fails before its run has written nothing: the others are read and published', async () => {
    const [, usual] = bothSynced()
    await later(apac)
    const revoked = account('EMEA', emea, 'no such key')
    const result = await syncAll(revoked, usual)
    expect(told(result)).toMatchObject({
      published: true,
      APAC: 'ok',
      EMEA: expect.stringContaining('Unauthorized'),
    })
    expect(await differ(apac, APAC)).toEqual([])
    expect(await differ(emea, EMEA)).toEqual([])
  })

  test('one that hangs keeps no other from being read and published', async () => {
    preparedWarehouse(path, EMEA, APAC, LATAM)
    const latam = await company(LATAM)
    const stop = new AbortController()
    const stopped = new Promise<never>((_, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason))
    })
    const usual = account('APAC', apac)
    const hanging = { ...usual, connect: () => ({ ...usual.connect(), call: () => stopped }) }
    const accounts = [hanging, account('EMEA', emea), account('LATAM', latam)]
    const syncing = syncAccounts({ ...common(), accounts, signal: stop.signal })
    const isPublished = async (id: number) => existsSync(path) && (await rowsOf(id)) !== 0
    await vi.waitUntil(async () => (await isPublished(EMEA)) && isPublished(LATAM), {
      timeout: 90_000,
      interval: 200,
    })
    stop.abort(new Error('enough'))
    await expect(syncing).rejects.toThrow('enough')
    for (const [sandbox, id] of [
      [emea, EMEA],
      [latam, LATAM],
    ] as const) {
      expect(await differ(sandbox, id)).toEqual([])
    }
    expect(await rowsOf(APAC)).toBe(0)
  })

  test('one whose working file is damaged concerns nobody else, and goes on from what was published', async () => {
    const accounts = bothSynced()
    writeFileSync(workingFile(APAC), 'no database'.repeat(2_000))
    await later(emea)
    expect(told(await syncAll(...accounts))).toEqual({
      published: true,
      EMEA: 'ok',
      APAC: 'ok',
    })
    expect(await differ(emea, EMEA)).toEqual([])
    expect(await differ(apac, APAC)).toEqual([])
  })

  test('may be synced by two processes at once, and one account by one of them only', async () => {
    const accounts = bothSynced()
    // As another process would hold it.
    const release = await takeLock(join(`${path}.sync`, `${EMEA}.lock`))
    const result = await syncAll(...accounts)
    release()
    expect(told(result)).toEqual({
      published: true,
      APAC: 'ok',
      EMEA: expect.stringContaining(`Another sync is writing account 11 of ${path} (process ${process.pid}`),
    })
    expect(await differ(apac, APAC)).toEqual([])
  })

  test('one without a key is told; alone, it ends the sync before a file is made', async () => {
    preparedWarehouse(path, EMEA)
    const keyless = (name: string | null): SyncedAccount => ({
      ...account(name, emea),
      connect() {
        throw new ConfigError('There is no app key.')
      },
    })
    const result = await syncAll(keyless('none'), account('EMEA', emea))
    expect(told(result)).toEqual({ published: true, EMEA: 'ok', none: 'There is no app key.' })
    rmSync(folder, { recursive: true })
    expect(told(await syncAll(keyless('none')))).toEqual({ published: false, none: 'There is no app key.' })
    expect(existsSync(folder)).toBe(false)
  })

  test('two names with the keys of one account, or one name with the key of another, are refused', async () => {
    preparedWarehouse(path, EMEA)
    // Whichever asked its service first is read.
    const twins = told(await syncAll(account('one', emea), account('two', emea)))
    const refusals = [twins.one, twins.two].filter((one) => one !== 'ok')
    expect(refusals).toEqual([
      expect.stringMatching(/^"(one|two)" and "(one|two)" are the same account 11\.$/),
    ])
    await syncAll(account('one', emea))
    expect(told(await syncAll(account('one', apac)))).toMatchObject({
      published: false,
      one: expect.stringMatching(
        /^The app key of "one" belongs to account 12, but in .* that name is account 11\.$/,
      ),
    })
    expect(await rowsOf(APAC)).toBe(0)
    // Another name for the same account is no mistake.
    await syncAll(account('EMEA', emea))
    expect(await query('select name from accounts')).toEqual([{ name: 'EMEA' }])
  })

  test('are not mixed by an account that has no name', async () => {
    preparedWarehouse(path, EMEA)
    await syncAll(account('EMEA', emea))
    const alone = { ...common(), ...account(null, apac), client: account(null, apac).connect() }
    await expect(sync(alone)).rejects.toThrow(
      `${path} holds account 11, and this app key belongs to account 12: reports would mix the two.`,
    )
    // Its own account may still be read without a name.
    const own = { ...common(), ...account(null, emea), client: account(null, emea).connect() }
    expect(await sync(own)).toMatchObject({ status: 'ok', published: true })
  })
})

describe('an account that is half-way', () => {
  test('is never seen: readers keep its last whole run, the others are published, and it goes on later', async () => {
    preparedWarehouse(path, EMEA, APAC)
    const apac = await company(APAC, { incidents: 900 })
    // Of the first sync of APAC only a part gets into the working file.
    await breakOff(apac, [account('EMEA', emea), account('APAC', apac)], 12)
    expect(existsSync(path)).toBe(false)
    expect(await rowsOf(APAC, workingFile(APAC))).toBeGreaterThan(0)

    const result = await syncAll(account('EMEA', emea))
    expect(told(result)).toEqual({ published: true, EMEA: 'ok' })
    expect(await differ(emea, EMEA)).toEqual([])
    expect(await rowsOf(APAC)).toBe(0)
    for (const table of ['sync_runs', 'accounts', 'as_of', 'incident_responders', 'data_quality']) {
      const [other] = await query(`select count(*)::int as n from ${table} where account_id = ${APAC}`)
      expect(other, table).toEqual({ n: 0 })
    }
    const orphans =
      'select count(*)::int as n from sync_windows anti join sync_runs using (account_id, run_id)'
    expect(await query(orphans)).toEqual([{ n: 0 }])

    // What was read of it is still there, and is not read again.
    expect(await rowsOf(APAC, workingFile(APAC))).toBeGreaterThan(0)
    expect(told(await syncAll(account('APAC', apac)))).toEqual({ published: true, APAC: 'ok' })
    const [again] = await query(
      `select sum(rows_read)::int as n from sync_windows
       where account_id = ${APAC} and run_id = (select max(run_id) from sync_runs where account_id = ${APAC})
       and resource = 'incidents'`,
    )
    expect(again!.n).toBeLessThan((await rowsOf(APAC)) as number)
    expect(await differ(apac, APAC)).toEqual([])
    expect(await differ(emea, EMEA)).toEqual([])
  })

  test('and was published before, is seen as it was, however often the others are published', async () => {
    preparedWarehouse(path, EMEA, APAC)
    const apac = await company(APAC, { incidents: 600 })
    const [one, two] = [account('EMEA', emea), account('APAC', apac)]
    await syncAll(one, two)
    const seen = () =>
      query(
        `select md5(string_agg(md5(r::text), '' order by incident_id)) as all, count(*)::int as n
         from (select * exclude (_run_id) from incidents where account_id = ${APAC}) r`,
      )
    const before = await seen()
    const [asOf] = await query(`select as_of_at from as_of where account_id = ${APAC}`)
    for (const sandbox of [emea, apac]) await later(sandbox, 48)
    await breakOff(apac, [two], 3)
    // Now its key is revoked: it cannot be finished, and keeps nobody waiting.
    for (let night = 0; night < 2; night++) {
      await later(emea)
      const result = await syncAll(one, account('APAC', apac, 'revoked'))
      expect(told(result)).toMatchObject({ published: true, EMEA: 'ok' })
      expect(await differ(emea, EMEA)).toEqual([])
      expect(await seen()).toEqual(before)
      expect(await query(`select as_of_at from as_of where account_id = ${APAC}`)).toEqual([asOf])
    }
    // It goes on where it was broken off; what vanished since is seen when those windows are read again.
    for (let night = 0; night < 2; night++) {
      expect(told(await syncAll(two))).toEqual({ published: true, APAC: 'ok' })
    }
    expect(await differ(apac, APAC)).toEqual([])
  })

  test('does not make a run that read no windows publish it', async () => {
    preparedWarehouse(path, EMEA, LATAM)
    const latam = await company(LATAM, { incidents: 600 })
    await breakOff(latam, [account('LATAM', latam)], 3)
    const teams = resources.filter(({ table }) => table === 'teams')
    const result = await syncAccounts({
      ...common(),
      resources: teams,
      accounts: [account('LATAM', latam), account('EMEA', emea)],
    })
    expect(result.outcomes.map((one) => 'summary' in one && one.summary.complete)).toEqual([false, true])
    expect(await rowsOf(LATAM)).toBe(0)
  })
})
