import { chmodSync, existsSync, linkSync, rmSync } from 'node:fs'
import { renameDurably } from '../../effects.ts'
import { ConfigError, WarehouseError } from '../../errors.ts'
import { matchesMeaning } from '../../external-errors.ts'
import { openError } from '../database-errors.ts'
import { missingMigrations } from '../schema/migrations.ts'
import { DamagedFile } from './damage.ts'
import { lockAccount, whileLocked } from './file-lock.ts'
import {
  ASIDE,
  accountFiles,
  copySafely,
  makeFolder,
  PRIVATE,
  type PublishedFiles,
  type WarehouseFiles,
  workingAccounts,
} from './files.ts'
import { expectedGenerations, expectGenerations, generationOf, replaceGeneration } from './generation.ts'
import { copyDatabase, logsOf, moveAside, replacePublished, setLogsAside } from './logs.ts'
import { foreignNotice, onClosed } from './read-closed.ts'
import { verifyFile } from './verify-file.ts'

/**
 * Sets a damaged working file aside, so that the next sync starts from the published copy. If only the log is damaged,
 * the next sync starts from the last checkpoint.
 * @throws `damage` itself if it is not in a working file; WarehouseError if another process has locked the account
 */
export async function healWorking(files: WarehouseFiles, damage: DamagedFile): Promise<string> {
  const account = workingAccounts(files).find((one) => accountFiles(files, one).working === damage.file)
  if (account === undefined) throw damage
  const { working, log } = accountFiles(files, account)
  return whileAccountsLocked(files, [account], async () => {
    const logOnly = matchesMeaning(damage.cause, 'damagedLog') && existsSync(log)
    moveAside(logOnly ? log : working)
    return logOnly
      ? `The log ${log} was damaged, for example by a power failure. Data since the last checkpoint is read again. The log is kept as ${log}${ASIDE}.`
      : `${working} was damaged. The sync starts from the published copy, or without one from the service, and reads the rest again. The file is kept as ${working}${ASIDE}.`
  })
}

/**
 * Repairs a damaged file. If the published copy is damaged, it is replaced with the previous copy, if that is intact.
 * @throws WarehouseError if the file cannot be repaired
 */
export async function heal(files: PublishedFiles, damage: DamagedFile): Promise<string> {
  if (damage.file !== files.published) return healWorking(files, damage)
  makeFolder(files)
  return whileLocked(files.publishing, () => healPublished(files, damage))
}

async function healPublished(files: PublishedFiles, damage: DamagedFile): Promise<string> {
  const { published, former } = files
  setLogsAside(files)
  // The sync of another account might already have repaired the file.
  const isWell = (await verifyFile(published).catch(() => undefined)) !== undefined
  if (isWell) return `${published} was damaged and has been repaired.`
  const aside = `${files.folder}/published.duckdb${ASIDE}`
  const good = existsSync(former) ? await verifyFile(former).catch(() => undefined) : undefined
  if (good === undefined) {
    // Working files contain every row, so no other copy is needed.
    if (workingAccounts(files).length === 0) {
      throw new WarehouseError(damage.message, {
        cause: damage,
        next: 'Restore a backup: `faultline restore FILE`. Without one, move the file away. `faultline sync` then reads everything again.',
      })
    }
    moveAside(published, aside)
    return `${published} was damaged. This sync publishes it again. The file is kept in ${files.folder}.`
  }
  copyDatabase(former, files.next)
  await replaceGeneration(files, good, async () => {
    moveAside(published, aside)
    replacePublished(files, files.next)
  })
  return `${published} was damaged. The previous copy replaces it until this sync publishes.`
}

/** Prepares the published file for a sync, and accepts a file that somebody put in its place. Returns notices. */
export async function adopt(files: PublishedFiles): Promise<string | undefined> {
  const done = [await foreignUse(files), await adoptRestored(files)].filter((one) => one !== undefined)
  return done.length === 0 ? undefined : done.join('\n')
}

/**
 * Reports changes by other programs, and sets their logs aside. If the other program is still running, the next
 * publication does that.
 */
async function foreignUse(files: PublishedFiles): Promise<string | undefined> {
  const notice = await foreignNotice(files.published)
  if (notice === undefined || notice.isLocked) return notice?.text
  makeFolder(files)
  return whileLocked(files.publishing, async () => setLogsAside(files))
}

/**
 * If somebody replaced the published copy, sets the working files aside, so that the sync does not continue from them.
 */
async function adoptRestored(files: PublishedFiles): Promise<string | undefined> {
  const expected = expectedGenerations(files)
  if (expected === null || !existsSync(files.published)) return undefined
  const generation = await onClosed(files.published, generationOf).catch(
    // This error is ignored here, because the code that reads the file later reports it.
    () => expected[0]!,
  )
  if (expected.includes(generation)) return undefined
  await verifyFile(files.published)
  const accounts = workingAccounts(files)
  await whileAccountsLocked(files, accounts, async () => {
    startFromPublished(files, accounts)
    expectGenerations(files, [generation])
  })
  return `${files.published} is not the copy that was published last. It is treated as a restored backup: the sync continues from it, and the working files are kept in ${files.folder} with the ending ${ASIDE}.`
}

export interface Restored {
  readonly from: string
  /** Time up to which all accounts were read. Null if no account was read completely. */
  readonly asOf: Date | null
  /** Sentences about logs that were ignored or set aside. */
  readonly notices: readonly string[]
}

/**
 * Replaces the published copy with a backup (default: the previous copy). An intact replaced copy becomes the previous
 * copy. The next sync of each account starts from the restored copy.
 */
export async function restorePublished(files: PublishedFiles, backup?: string): Promise<Restored> {
  const { published, former, next } = files
  const from = backup ?? former
  if (!existsSync(from)) {
    const next =
      'Specify a backup: `faultline restore FILE`. Without one, `faultline sync` reads everything again.'
    if (backup !== undefined) throw new ConfigError(`File not found: ${backup}.`, { next })
    throw new WarehouseError(`${published} has no previous copy.`, { next })
  }
  const asOf = await asOfOf(from)
  const generation = await verifyFile(from)
  const [log] = logsOf(from)
  const ofBackup =
    log && `${log} was ignored: Faultline writes no log beside a published copy, so another program did.`
  makeFolder(files)
  const accounts = workingAccounts(files)
  const replace = async () => {
    copyDatabase(from, next)
    return replaceGeneration(files, generation, async () => {
      startFromPublished(files, accounts)
      const isDamaged = await verifyFile(published).then(
        () => false,
        (error: unknown) => error instanceof DamagedFile,
      )
      if (!isDamaged) await keepPreviousCopy(files)
      const ofPublished = setLogsAside(files)
      replacePublished(files, next)
      return [ofBackup, ofPublished].filter((one) => one !== undefined)
    })
  }
  const notices = await whileAccountsLocked(files, accounts, () => whileLocked(files.publishing, replace))
  return { from, asOf, notices }
}

/**
 * Keeps the published copy as the previous copy. Prefers a hard link, whose content stays the same because each
 * publication replaces the published file.
 */
export async function keepPreviousCopy({ published, former }: PublishedFiles): Promise<void> {
  if (!existsSync(published)) return
  const part = `${former}.part`
  rmSync(part, { force: true })
  try {
    // A program that has the file open for writing would also change a hard link.
    if ((await foreignNotice(published))?.isLocked) copySafely(published, part)
    else {
      linkSync(published, part)
      // This call fails if the file belongs to another user.
      chmodSync(part, PRIVATE)
    }
  } catch {
    rmSync(part, { force: true })
    copySafely(published, part)
  }
  renameDurably(part, former)
}

async function asOfOf(file: string): Promise<Date | null> {
  return onClosed(file, async (connection) => {
    // Throws if a newer program wrote the file.
    await missingMigrations(connection)
    const found = await connection.runAndReadAll(
      'select min(as_of) from (select max(as_of_at) as as_of from sync_runs group by account_id)',
    )
    const micros = (found.getRows()[0]?.[0] as { micros?: bigint } | null)?.micros
    return micros === undefined ? null : new Date(Number(micros / 1_000n))
  }).catch((cause: unknown) => {
    if (!(cause instanceof WarehouseError) && matchesMeaning(cause, 'unknownName')) {
      throw new WarehouseError(`${file} is not a Faultline warehouse.`, {
        cause,
        next: 'Specify a copy of the file that `faultline sync` creates.',
      })
    }
    throw openError(cause, file)
  })
}

/** Sets working files aside, so that the next sync starts from the published copy. */
function startFromPublished(files: WarehouseFiles, accounts: readonly bigint[]): void {
  for (const account of accounts) moveAside(accountFiles(files, account).working)
}

/** @throws WarehouseError that names the holder of a lock */
async function whileAccountsLocked<Result>(
  files: WarehouseFiles,
  accounts: readonly bigint[],
  act: () => Promise<Result>,
): Promise<Result> {
  const [first, ...rest] = accounts
  if (first === undefined) return act()
  const release = await lockAccount(files, first)
  return whileAccountsLocked(files, rest, act).finally(release)
}
