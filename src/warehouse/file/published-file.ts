import { existsSync, statSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { ConfigError } from '../../errors.ts'
import { openError } from '../database-errors.ts'
import type { Finished, Published, PublishOptions } from '../published.ts'
import { foldReportRuns } from '../read/report-runs.ts'
import { createTables } from '../schema/create.ts'
import { deliveriesBeside } from './deliveries-file.ts'
import { lockAccount } from './file-lock.ts'
import { accountFiles, noWarehouse, type PublishedFiles, warehouseFiles, workingAccounts } from './files.ts'
import { renewGeneration } from './generation.ts'
import { openPublished } from './open-published.ts'
import { accountsInFile, publishToFile, restoreFromFile } from './publish-to-file.ts'
import { onClosed } from './read-closed.ts'
import { removeFromFile } from './remove-from-file.ts'
import { adopt, heal, restorePublished } from './repair-file.ts'
import { rewriteFiles } from './rewrite.ts'
import { checkFile } from './verify-file.ts'

export function publishedFile(path: string): Published {
  const files = warehouseFiles(path)
  const { published } = files
  return {
    name: path,
    location: path,
    files,
    ownPaths: [published, files.reportRuns, files.folder],
    isThere: async () => existsSync(published),
    accounts: () => accountsInFile(files),
    open: (options) => openPublished(files, options),
    inside: (nothing, act) => inside(files, nothing, act),
    async state() {
      const found = statSync(published, { throwIfNoEntry: false })
      return found && [found.ino, found.mtimeMs, found.size].join(' ')
    },
    size: () => statSync(published).size,

    async lease(accountId) {
      const unlock = await lockAccount(files, accountId)
      // A file lock is never lost, so `lost` is never aborted. Each lease has its own signal, because listeners would
      // accumulate on a shared one.
      const { signal: lost } = new AbortController()
      return { lost, confirm: async () => {}, epoch: 0n, release: async () => unlock() }
    },
    restore: (working, accountId) => restoreFromFile(files, working, accountId),
    stamp: renewGeneration,
    publish: (finished, how) => publish(files, finished, how),
    copiesAll: true,
    waitsFor: undefined,

    rewrite: (rewriting) => rewriteFiles(files, rewriting),
    remove: async (removed) => removeFromFile(files, removed).then(() => undefined),
    adopt: () => adopt(files),
    heal: (damage) => heal(files, damage),
    putBack: (backup) => restorePublished(files, backup),
    maintain: refuseMaintenance,
    repair: refuseMaintenance,

    async *verify() {
      if (existsSync(published)) yield checkFile('published copy', published)
      else yield { part: 'published copy', error: noWarehouse(files) }
    },
    count: async () => [],
    space: () => ({ bytes: spaceOf(files), what: 'publishing needs' }),

    deliveries: deliveriesBeside(files),
    jobs: undefined,
  }
}

async function refuseMaintenance(): Promise<never> {
  throw new ConfigError('`lake maintain` only applies to a lake; this warehouse is a single file.')
}

async function inside<Result>(
  { published }: PublishedFiles,
  nothing: Result,
  act: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(published)) return nothing
  return onClosed(published, act).catch((cause: unknown) => {
    throw openError(cause, published)
  })
}

async function publish(files: PublishedFiles, finished: readonly Finished[], how: PublishOptions) {
  const prepare = async (connection: DuckDBConnection) => {
    await createTables(connection, how.resources, how.settings)
    await foldReportRuns(connection, files.reportRuns)
    await renewGeneration(connection)
  }
  const some = (accounts: readonly Finished[]): Promise<unknown | undefined> =>
    publishToFile(
      files,
      accounts.map(({ accountId }) => accountId),
      prepare,
    ).then(
      () => undefined,
      (error: unknown) => error,
    )
  const failure = await some(finished)
  if (failure === undefined || finished.length === 1) return finished.map(() => failure)
  // Publishes each account separately, so that one damaged working file does not block the others.
  const failures: (unknown | undefined)[] = []
  for (const one of finished) failures.push(await some([one]))
  return failures
}

/** Expected size of the next copy in bytes. With several accounts, it can grow by the largest working file. */
function spaceOf(files: PublishedFiles): number {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const own = workingAccounts(files).map((account) => sizeOf(accountFiles(files, account).working))
  const copy = sizeOf(files.published)
  return own.length > 1 ? copy + Math.max(...own) : Math.max(copy, ...own)
}
