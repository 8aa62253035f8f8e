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

/** Files that syncs on this machine use for a warehouse. */
export interface WarehouseFiles {
  /** Path of the published file, or address of the lake. */
  readonly name: string
  /** Figures of report runs, one run per line. Reports cannot write to the warehouse, so they write to this file. */
  readonly reportRuns: string
  /** Only the owner can enter this folder. */
  readonly folder: string
  /** Lock file of the process that publishes. */
  readonly publishing: string
  /** The next published copy, during its preparation. */
  readonly next: string
  readonly former: string
}

export interface PublishedFiles extends WarehouseFiles {
  /** The file that readers open. Each publication replaces it with an atomic rename. */
  readonly published: string
}

export interface AccountFiles {
  readonly working: string
  /** Write-ahead log of the working file. */
  readonly log: string
  /** Lock file of the process that writes the account. */
  readonly lock: string
}

/** Returns the paths of a warehouse's files. If `path` is a symbolic link, the files are next to the link's target. */
export function warehouseFiles(path: string): PublishedFiles {
  const published = targetOf(path)
  const reportRuns = `${published}.report-runs.ndjson`
  return { name: path, published, reportRuns, ...filesIn(syncFolderOf(published)) }
}

export const syncFolderOf = (published: string) => `${published}.sync`

/** Returns the paths in the sync's folder that all accounts share. @throws ConfigError if DuckDB cannot write there */
export function filesIn(folder: string) {
  // Checked here, because the folder differs from the configured path for a lake or a symbolic link.
  refuseQuestionMark(folder)
  return {
    folder,
    publishing: join(folder, 'publish.lock'),
    next: join(folder, 'next.duckdb'),
    former: join(folder, 'former.duckdb'),
  }
}

/** Maximum number of symbolic links to follow, as in Linux. */
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

/** Suffix of a damaged or outdated file that was kept. The next kept file of the same name replaces it. */
export const ASIDE = '.aside'

/** Prefix of temporary folders that readers create. They contain a hard link to the published copy, or a copy of it. */
export const LOOK = 'look-'

/** Returns files that can contain earlier data, including temporary folders of killed readers. */
export function keptFiles({ folder, former }: WarehouseFiles): string[] {
  if (!isFolder(folder)) return []
  const aside = readdirSync(folder).filter((file) => file.endsWith(ASIDE) || file.startsWith(LOOK))
  return [former, ...aside.map((file) => join(folder, file))]
}

/** The error if nothing was published yet. */
export class NoWarehouse extends WarehouseError {}

/** Returns an error that distinguishes a warehouse without any sync from a warehouse whose first sync is incomplete. */
export function noWarehouse(files: WarehouseFiles): NoWarehouse {
  const hasBegun = workingAccounts(files).length > 0
  return new NoWarehouse(`No warehouse found at ${files.name}${hasBegun ? ' yet' : ''}.`, {
    next: hasBegun
      ? 'The first sync is incomplete: wait for it, or run `faultline sync`, which continues it.'
      : 'Run `faultline sync` first, or specify another file with --warehouse.',
  })
}

/**
 * Creates the sync's folder with access only for its owner, so that other users can never read a new file in the
 * folder.
 */
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

/** Copies a file privately and flushes it to disk. After a failure, removes the partial copy. */
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

/** Renames a closed DuckDB file. DuckDB creates files that all users can read, so this first restricts the mode. */
export function renamePrivately(from: string, to: string): void {
  chmodSync(from, PRIVATE)
  renameDurably(from, to)
}

export const PRIVATE = 0o600
const PRIVATE_FOLDER = 0o700
const OTHERS = 0o077
