import { statSync } from 'node:fs'
import type { Parser } from '../definitions/parse-tree.ts'
import { WarehouseError } from '../errors.ts'
import type { Lake } from '../settings/lake.ts'
import { lockAccount } from '../warehouse/file/file-lock.ts'
import { accountFiles, makeFolder, noWarehouse, workingAccounts } from '../warehouse/file/files.ts'
import { succeedGeneration } from '../warehouse/file/generation.ts'
import { removeFromMachine } from '../warehouse/file/remove-from-file.ts'
import { healWorking } from '../warehouse/file/repair-file.ts'
import type { AccountLease, CheckOutcome, Published } from '../warehouse/published.ts'
import { lakeError, leasesOf, newestSnapshot, onPublished } from './catalog.ts'
import { deliveriesInLake } from './deliveries-table.ts'
import { lakeFiles } from './lake-files.ts'
import { jobsOf } from './lake-jobs.ts'
import { findCorruptTables, verifyInLake, type Wrong } from './lake-tables.ts'
import { leaseFreeAccount } from './leases.ts'
import { maintain, rewriteLake } from './maintain-lake.ts'
import { openLake } from './open-lake.ts'
import { publishToLake } from './publish-to-lake.ts'
import { removeFromLake } from './remove-from-lake.ts'
import { repair } from './repair-lake.ts'
import { accountsInLake, restoreFromLake } from './restore-from-lake.ts'

export function publishedLake(lake: Lake): Published {
  const files = lakeFiles(lake)
  return {
    name: files.name,
    location: lake,
    files,
    ownPaths: [files.reportRuns, files.folder],
    isThere: async () => (await stateOf(lake).catch(() => 'unknown')) !== undefined,
    accounts: () => accountsInLake(lake),
    open: (options) => openLake(lake, options),
    inside: (nothing, act) => onPublished(lake, nothing, act),
    state: () => stateOf(lake),
    size: () => null,

    lease: (accountId) => lease(lake, accountId),
    restore: (working, accountId) => restoreFromLake(lake, working, accountId),
    stamp: succeedGeneration,
    publish: (finished, { resources }) => publishToLake(lake, finished, resources, files.reportRuns),
    copiesAll: false,
    waitsFor: `PostgreSQL or the store ${lake.data} is slow or does not answer, or another machine is publishing`,

    rewrite: (rewriting, known) => rewriteLake(lake, files, rewriting, known),
    async remove(removed) {
      makeFolder(files)
      await removeFromLake(lake, removed)
      await removeFromMachine(files, removed)
      return 'Repeat this on each machine that has synced the account, because each may have a working file.'
    },
    adopt: async () => undefined,
    heal: (damage) => healWorking(files, damage),
    putBack: async () => {
      throw new WarehouseError('`restore` only applies to a file; this warehouse is a lake.', {
        next: 'Restore the catalog with pg_restore, see src/lake/README.md.',
      })
    },
    maintain: () => maintain(lake, lake.retentionDays),
    repair: () => repair(lake),

    verify: () => verify(lake),
    count,
    space: () => ({ bytes: spaceOf(lake), what: 'the largest working file takes' }),

    deliveries: deliveriesInLake(lake),
    jobs: jobsOf(lake),
  }
}

async function stateOf(lake: Lake): Promise<string | undefined> {
  try {
    return (await newestSnapshot(await leasesOf(lake)))?.toString()
  } catch (cause) {
    throw lakeError(lake, cause)
  }
}

/** Leases an account in the lake, and locks its working file against other processes on this machine. */
async function lease(lake: Lake, accountId: bigint): Promise<AccountLease> {
  const unlock = await lockAccount(lakeFiles(lake), accountId)
  try {
    const leased = await leaseFreeAccount(lake, accountId)
    return {
      ...leased,
      async release() {
        unlock()
        await leased.release()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

async function* verify(lake: Lake): AsyncGenerator<CheckOutcome> {
  try {
    const accounts = await accountsInLake(lake)
    if (accounts.size === 0) yield { part: 'lake', error: noWarehouse(lakeFiles(lake)) }
    for (const account of accounts.keys()) {
      const part = `lake, account ${account}`
      const wrong = await verifyInLake(lake, account)
      if (wrong.length === 0) yield { part, found: 'every value matches what was published' }
      else
        yield {
          part,
          error: new WarehouseError(`differs from what was published: ${wrongText(wrong)}`, {
            next: 'Run `faultline lake maintain --repair`, or restore what was changed in the store.',
          }),
        }
    }
  } catch (error) {
    yield { part: 'lake', error }
  }
}

/** Compares row counts with what was published. */
async function count(on: Parser): Promise<CheckOutcome[]> {
  try {
    const wrong = await findCorruptTables(on)
    if (wrong.length === 0) return [{ part: 'lake', found: 'row counts match what was published' }]
    const accounts = [...new Set(wrong.map(({ accountId }) => accountId))].map(
      (account) => `account ${account}: ${wrongText(wrong.filter(({ accountId }) => accountId === account))}`,
    )
    throw new WarehouseError(accounts.join('; '), { next: 'Run `faultline lake maintain --repair`.' })
  } catch (error) {
    return [{ part: 'lake', error }]
  }
}

function wrongText(wrong: readonly Wrong[]): string {
  return wrong
    .map(({ table, rows, published }) => `${table} (${rows} rows, published ${published})`)
    .join(', ')
}

function spaceOf(lake: Lake): number {
  const files = lakeFiles(lake)
  const sizes = workingAccounts(files).map((account) => statSync(accountFiles(files, account).working).size)
  return Math.max(0, ...sizes)
}
