import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import { realEffects } from '../../src/effects.ts'
import { resources as allResources } from '../../src/resources/index.ts'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import type { SyncedAccount } from '../../src/sync/read-account.ts'
import type { AccountsResult } from '../../src/sync/sync-accounts.ts'
import { ownFolder } from '../support/folder.ts'
import { sideDoor } from '../support/side-door.ts'
import { syncAccounts } from '../support/storage.ts'
import { differences, objects, withConnection } from '../support/truth.ts'
import { preparedWarehouse } from '../support/warehouse.ts'

const [NOW, DAY] = [1_795_262_400, 86_400]
export const [EMEA, APAC, LATAM] = [11, 12, 13]
/** Excludes post-mortems, because each of them takes a request. */
export const resources = allResources.filter(({ table }) => table !== 'post_mortems')

/** A test's folder, and two companies that were synced once into the folder `synced`. */
interface Place {
  folder: string
  path: string
  emea: Sandbox
  apac: Sandbox
  first: AccountsResult
}

const sandboxes: Sandbox[] = []
const clients: Client[] = []

/** Two companies, synced once into a warehouse. Each test begins in its own folder. */
export function twoCompanies(): Place & ReturnType<typeof waysIn> {
  const synced = ownFolder()
  const place = {} as Place
  const ways = waysIn(place, synced)
  beforeAll(async () => {
    place.emea = await company(EMEA)
    place.apac = await company(APAC)
    sandboxes.length = 0
    place.path = join(synced, 'faultline.duckdb')
    preparedWarehouse(place.path, EMEA, APAC)
    place.first = await ways.syncAll(account('EMEA', place.emea), account('APAC', place.apac))
  })
  afterAll(async () => {
    for (const sandbox of [place.emea, place.apac]) await sandbox.close()
  })
  beforeEach(() => {
    place.folder = mkdtempSync(join(tmpdir(), 'faultline-accounts-'))
    place.path = join(place.folder, 'faultline.duckdb')
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close()
    for (const sandbox of sandboxes.splice(0)) await sandbox.close()
    for (const { baseUrl } of [place.emea, place.apac]) await sideDoor(baseUrl, 'clock', { now: NOW })
    rmSync(place.folder, { recursive: true, force: true })
  })
  return Object.assign(place, ways)
}

/** Functions that the tests use to change, sync and query the companies of a place. */
function waysIn(place: Place, synced: string) {
  const common = (): Omit<Parameters<typeof syncAccounts>[0], 'accounts'> => ({
    path: place.path,
    resources,
    known: allResources,
    effects: realEffects(),
    concurrency: 4,
    jobs: 2,
    version: '1.2.3',
    signal: new AbortController().signal,
  })
  const query = (sql: string, file = place.path) =>
    withConnection(file, (connection) => objects(connection, sql))
  return {
    common,
    query,
    syncAll: (...accounts: SyncedAccount[]) => syncAccounts({ ...common(), accounts }),
    /** Begins with both companies synced and published. @returns their accounts */
    bothSynced(): [SyncedAccount, SyncedAccount] {
      cpSync(synced, place.folder, { recursive: true })
      return [account('EMEA', place.emea), account('APAC', place.apac)]
    },
    rowsOf: async (accountId: number, file = place.path) =>
      (await query(`select count(*)::int as n from incidents where account_id = ${accountId}`, file))[0]!.n,
    /** Returns differences between the records of a service and the rows of its account in the file. */
    async differ(sandbox: Sandbox, accountId: number): Promise<string[]> {
      const part = join(place.folder, `only-${accountId}.duckdb`)
      rmSync(part, { force: true })
      const instance = await DuckDBInstance.create(part)
      const connection = await instance.connect()
      await connection.run(`attach '${place.path}' as whole (read_only)`)
      for (const table of ['incidents', 'incident_responders']) {
        await connection.run(`create table ${table} as from whole.${table} where account_id = ${accountId}`)
      }
      connection.closeSync()
      instance.closeSync()
      return differences(sandbox.baseUrl, part)
    },
  }
}

/**
 * Starts a separate company. With the same seed, all its ids equal the ids of the other companies, except for the id of
 * the account.
 */
export async function company(accountId: number, options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ now: NOW, limits: false, incidents: 100, accountId, ...options })
  sandboxes.push(sandbox)
  return sandbox
}

export function account(name: string | null, sandbox: Sandbox, appKey = sandbox.appKey): SyncedAccount {
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

/** Returns the status of each outcome, or its error if no run began. */
export const told = ({ outcomes, published }: AccountsResult) => ({
  published,
  ...Object.fromEntries(
    outcomes.map((one) => [one.name, 'summary' in one ? one.summary.status : one.error.message]),
  ),
})
