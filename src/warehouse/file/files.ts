import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { flush, refusePlanted, renameDurably } from '../../effects.ts'
import { WarehouseError } from '../../errors.ts'
import { refuseQuestionMark } from '../../settings/warehouse-location.ts'

/** Paths of the files that syncs on this machine use for a warehouse. */
export interface WarehouseFiles {
  /** Path of the published file, or address of the lake. */
  readonly name: string
  /**
   * File with the figures of report runs, one run per line. Reports write to it, because they cannot write to the
   * warehouse.
   */
  readonly reportRuns: string
  /** Folder for the sync's files. Only its owner can enter it. */
  readonly folder: string
  /** Lock file that a process holds while it publishes. */
  readonly publishing: string
  /** The next copy to be published, while it is prepared. */
  readonly next: string
  /** The previously published copy. */
  readonly former: string
}

export interface PublishedFiles extends WarehouseFiles {
  /** The file that readers open. It contains only complete runs. Each publication replaces it with an atomic rename. */
  readonly published: string
}

export interface AccountFiles {
  /** The file that the sync of the account writes. */
  readonly working: string
  /** The write-ahead log of the working file. */
  readonly log: string
  /** Lock file that a process holds while it writes the account. */
  readonly lock: string
}

/**
 * Returns the files of the warehouse at `path`. If `path` is a symbolic link, the files are next to the link's target.
 */
export function warehouseFiles(path: string): PublishedFiles {
  const published = targetOf(path)
  const reportRuns = `${published}.report-runs.ndjson`
  return { name: path, published, reportRuns, ...filesIn(syncFolderOf(published)) }
}

export const syncFolderOf = (published: string) => `${published}.sync`

/**
 * Returns the paths of the sync's folder and of the files in it that all accounts share.
 * @throws ConfigError for a path that DuckDB cannot write
 */
export function filesIn(folder: string) {
  // Checks the folder here, because it differs from the configured path if it belongs to a lake or `path` is a link.
  refuseQuestionMark(folder)
  return {
    folder,
    publishing: join(folder, 'publish.lock'),
    next: join(folder, 'next.duckdb'),
    former: join(folder, 'former.duckdb'),
  }
}

/** Maximum number of symbolic links to follow, which is the same as on Linux. */
const LINKS_MOST = 40

/** Resolves symbolic links, even if the final target does not exist yet. */
function targetOf(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  let target = resolve(path)
  for (let links = 0; links < LINKS_MOST; links++) {
    if (!lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) return target
    target = resolve(dirname(target), readlinkSync(target))
  }
  throw new WarehouseError(`${path} is a link that leads to itself.`, { next: 'Specify the path of a file.' })
}

export function accountFiles({ folder }: WarehouseFiles, accountId: bigint): AccountFiles {
  const working = join(folder, `${accountId}.duckdb`)
  return { working, log: `${working}.wal`, lock: join(folder, `${accountId}.lock`) }
}

/** Returns the accounts with a working file, sorted by id. */
export function workingAccounts({ folder }: WarehouseFiles): bigint[] {
  if (!isFolder(folder)) return []
  return readdirSync(folder)
    .flatMap((file) => /^(\d+)\.duckdb$/.exec(file)?.[1] ?? [])
    .map(BigInt)
    .sort((a, b) => (a < b ? -1 : 1))
}

/**
 * Suffix of a damaged or outdated file that was set aside. The file is kept until the next one that is set aside
 * replaces it.
 */
export const ASIDE = '.aside'

/** Prefix of temporary folders. In such a folder, a reader opens a link to the published copy, or a copy of it. */
export const LOOK = 'look-'

/** Returns files with earlier data: the previous copy, files set aside, and temporary folders of killed readers. */
export function keptFiles({ folder, former }: WarehouseFiles): string[] {
  if (!isFolder(folder)) return []
  const aside = readdirSync(folder).filter((file) => file.endsWith(ASIDE) || file.startsWith(LOOK))
  return [former, ...aside.map((file) => join(folder, file))]
}

/** The error that nothing was published yet. */
export class NoWarehouse extends WarehouseError {}

/** Returns the error that nothing was published yet: either no sync has run, or the first sync is incomplete. */
export function noWarehouse(files: WarehouseFiles): NoWarehouse {
  const hasBegun = workingAccounts(files).length > 0
  return new NoWarehouse(`No warehouse found at ${files.name}${hasBegun ? ' yet' : ''}.`, {
    next: hasBegun
      ? 'The first sync is incomplete: wait for it, or run `faultline sync`, which continues it.'
      : 'Run `faultline sync` first, or specify another file with --warehouse.',
  })
}

/** Creates the sync's folder. Only the owner can enter it, so that other users can never read a new file in it. */
export function makeFolder({ folder }: WarehouseFiles): void {
  const parent = dirname(folder)
  if (!isFolder(parent)) {
    throw new WarehouseError(`The folder ${parent} for the warehouse is missing.`, {
      next: 'Create it, or set another path (--warehouse, FAULTLINE_WAREHOUSE or `warehouse` in config.json).',
    })
  }
  try {
    refusePlanted(folder)
    if (!isFolder(folder)) mkdirSync(folder, { mode: PRIVATE_FOLDER })
    if ((statSync(folder).mode & OTHERS) !== 0) chmodSync(folder, PRIVATE_FOLDER)
  } catch (cause) {
    const isFile = statSync(folder, { throwIfNoEntry: false })?.isFile() === true
    throw new WarehouseError(
      isFile
        ? `${folder} is a file, but the sync needs a folder there.`
        : `The folder ${folder} cannot be written: ${(cause as Error).message}.`,
      {
        cause,
        next: isFile
          ? 'Move it away; the next sync starts from the published copy, or from the service.'
          : 'Check that this user may write the file and its folder, and that the disk is not read-only.',
      },
    )
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/**
 * Copies a file and flushes the copy to disk. Only the owner can read the copy. After a failure, removes the partial
 * copy.
 */
export function copySafely(from: string, to: string): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
    chmodSync(to, PRIVATE)
    flush(to)
  } catch (error) {
    rmSync(to, { force: true })
    throw error
  }
}

/**
 * Makes a closed DuckDB file readable only for its owner, and renames it. DuckDB creates files that all users can read.
 */
export function renamePrivately(from: string, to: string): void {
  chmodSync(from, PRIVATE)
  renameDurably(from, to)
}

export const PRIVATE = 0o600
const PRIVATE_FOLDER = 0o700
const OTHERS = 0o077
