import { existsSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Place } from '../../config/lake.ts'
import { WarehouseError } from '../../errors.ts'
import { DuckDBInstance } from '../duckdb.ts'
import { noWarehouse } from '../file/files.ts'
import type { Moment } from '../lake/attach.ts'
import { checkReading, connectToLake, KEPT, openLakeForReading } from '../lake/read.ts'
import type { Guard } from './guard.ts'
import { spillFolder } from './spill.ts'

/** What was published, open, and how each connection to it is made. */
export interface Opened {
  connect(): Promise<DuckDBConnection>
  close(): void
  /** Whether the relations of `sql/` and the settings are in it; else each session is given them. */
  readonly holdsDefinitions: boolean
  /** What it refuses besides what every reader refuses. */
  readonly guard?: Guard
  /** The database beside it that holds large results packed on disk. */
  readonly packed?: string
}

/**
 * Opens what was published, to be read only.
 * @param options.settings DuckDB's own
 * @param options.at of a lake: the state to read
 * @throws WarehouseError that says what to do
 */
export async function open(
  place: Place,
  options: { readonly settings: Readonly<Record<string, string>>; readonly at?: Moment | undefined },
): Promise<Opened> {
  const { settings, at } = options
  if (typeof place === 'string') return openFile(place, settings, at)
  const { instance, close } = await openLakeForReading(place, { settings, at })
  return {
    connect: () => connectToLake(instance),
    close,
    holdsDefinitions: false,
    guard: checkReading,
    packed: KEPT,
  }
}

async function openFile(
  path: string,
  settings: Readonly<Record<string, string>>,
  at: Moment | undefined,
): Promise<Opened> {
  if (at !== undefined) {
    throw new WarehouseError('One file keeps no former states, and one was asked for.', {
      next: 'Read a backup: --warehouse FILE. A lake keeps its states (src/warehouse/lake/README.md).',
    })
  }
  if (!existsSync(path)) throw noWarehouse(path)
  const spill = spillFolder()
  try {
    const instance = await DuckDBInstance.create(path, {
      access_mode: 'READ_ONLY',
      // Before external access is switched off, which this is a part of.
      ...(spill.path === undefined ? {} : { temp_directory: spill.path }),
      ...settings,
      enable_external_access: 'false',
      autoload_known_extensions: 'false',
      autoinstall_known_extensions: 'false',
    })
    const close = () => {
      instance.closeSync()
      spill.remove()
    }
    return { connect: () => instance.connect(), close, holdsDefinitions: true }
  } catch (cause) {
    spill.remove()
    throw unopened(path, cause)
  }
}

function unopened(path: string, cause: unknown): WarehouseError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  // The first is what DuckDB says of data.json or a.csv, which it would read into a database in memory.
  if (/in-memory database in read-only|not a valid DuckDB database/i.test(reason)) {
    return new WarehouseError(`${path} is no DuckDB file.`, {
      cause,
      next: 'Name the file that `faultline sync` makes (--warehouse, or `warehouse` in config.json). If this is it, it is damaged: move it away, and sync again.',
    })
  }
  return new WarehouseError(`The warehouse at ${path} cannot be opened: ${reason.split('\n', 1)[0]}`, {
    cause,
    next: /lock/i.test(reason)
      ? 'Another process is writing to it. Read the published copy, or wait until the sync is done.'
      : 'Check that it is a DuckDB file that this user can read, or run `faultline sync` to make a new one.',
  })
}
