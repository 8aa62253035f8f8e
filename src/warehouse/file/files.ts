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

/** What the syncs of this machine keep for one warehouse. */
export interface WarehouseFiles {
  /** What people know the warehouse by: the path of what readers open, or an address. */
  readonly name: string
  /** Figures of report runs, a line each: reports cannot write to what was published. */
  readonly reportRuns: string
  /** The sync's own folder, which only its owner may enter. */
  readonly folder: string
  /** Lock of the process that replaces the published copy. */
  readonly publishing: string
  /** Where the next published copy is prepared. */
  readonly next: string
  /** The copy that was published before the present one. */
  readonly former: string
}

/** The files of a warehouse of which readers open one, and the others belong to the sync. */
export interface PublishedFiles extends WarehouseFiles {
  /** What analysts, reports and other tools open: complete runs of every account, replaced by an atomic rename. */
  readonly published: string
}

/** The files of one account in the sync's folder. */
export interface AccountFiles {
  /** What the sync of the account writes, batch by batch. */
  readonly working: string
  /** DuckDB's write-ahead log of the working file. */
  readonly log: string
  /** Lock of the process that writes the account, until it is published. */
  readonly lock: string
}

/**
 * The files of the warehouse whose published copy is at `path`. Where it is a link, they lie beside what it leads to: the link stays
 * one, and the data on the disk that was chosen for it. The sync's folder is there too, so that a rename is atomic.
 */
export function warehouseFiles(path: string): PublishedFiles {
  const published = targetOf(path)
  const reportRuns = `${published}.report-runs.ndjson`
  return { name: path, published, reportRuns, ...filesIn(syncFolderOf(published)) }
}

/** The sync's folder of a published copy. */
export const syncFolderOf = (published: string) => `${published}.sync`

/** The sync's folder, and what is in it of all accounts. @throws ConfigError for a path that DuckDB cannot write to */
export function filesIn(folder: string) {
  // The path of a lake's folder, or where a link leads.
  refuseQuestionMark(folder)
  return {
    folder,
    publishing: join(folder, 'publish.lock'),
    next: join(folder, 'next.duckdb'),
    former: join(folder, 'former.duckdb'),
  }
}

/** As many links as Linux follows. */
const LINKS_MOST = 40

/** Where a path leads, also one that is a link to what is not there yet. */
function targetOf(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  let target = resolve(path)
  for (let links = 0; links < LINKS_MOST; links++) {
    if (!lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) return target
    target = resolve(dirname(target), readlinkSync(target))
  }
  throw new WarehouseError(`${path} is a link that leads to itself.`, { next: 'Give the path of a file.' })
}

export function accountFiles({ folder }: WarehouseFiles, accountId: bigint): AccountFiles {
  const working = join(folder, `${accountId}.duckdb`)
  return { working, log: `${working}.wal`, lock: join(folder, `${accountId}.lock`) }
}

/** The accounts that have a working file, in the order of their ids. */
export function workingAccounts({ folder }: WarehouseFiles): bigint[] {
  if (!isFolder(folder)) return []
  return readdirSync(folder)
    .flatMap((file) => /^(\d+)\.duckdb$/.exec(file)?.[1] ?? [])
    .map(BigInt)
    .sort((a, b) => (a < b ? -1 : 1))
}

/** Behind the name of a file that is of no use any more, and is kept until the next one takes its place. */
export const ASIDE = '.aside'

/** Start of the name of a folder from which a published copy is read while another program has it open, or left a log beside it. */
export const LOOK = 'look-'

/** Files that are kept in case they are needed: the former copy, what was put aside, and what killed readers left. */
export function keptFiles({ folder, former }: WarehouseFiles): string[] {
  if (!isFolder(folder)) return []
  const aside = readdirSync(folder).filter((file) => file.endsWith(ASIDE) || file.startsWith(LOOK))
  return [former, ...aside.map((file) => join(folder, file))]
}

/** There is no warehouse yet. */
export class NoWarehouse extends WarehouseError {}

/** Nothing was published yet: no sync was run, or the first one has not read everything so far. */
export function noWarehouse(files: WarehouseFiles): NoWarehouse {
  const hasBegun = workingAccounts(files).length > 0
  return new NoWarehouse(`There is no warehouse at ${files.name}${hasBegun ? ' yet' : ''}.`, {
    next: hasBegun
      ? 'The first sync has not read everything so far: wait for it, or run `faultline sync`, which goes on where it ended.'
      : 'Run `faultline sync` first, or name another file with --warehouse.',
  })
}

/**
 * Makes the sync's folder, for its owner only: so every file that DuckDB makes in it is private from its first byte.
 * @throws WarehouseError where it cannot be made
 */
export function makeFolder({ folder }: WarehouseFiles): void {
  const parent = dirname(folder)
  if (!isFolder(parent)) {
    throw new WarehouseError(`There is no folder ${parent} for the warehouse.`, {
      next: 'Create it, or give another path (--warehouse, FAULTLINE_WAREHOUSE or `warehouse` in the config).',
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
        ? `${folder} is a file, and no folder of the sync.`
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

/** Copies a file until it is safely on the disk, for its owner only; leaves nothing when it fails. */
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

/** Renames a closed file that DuckDB made by the umask: it is its owner's alone before it has its name. */
export function renamePrivately(from: string, to: string): void {
  chmodSync(from, PRIVATE)
  renameDurably(from, to)
}

export const PRIVATE = 0o600
const PRIVATE_FOLDER = 0o700
const OTHERS = 0o077
