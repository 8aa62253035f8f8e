import { existsSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Place } from '../../config/lake.ts'
import { WarehouseError } from '../../errors.ts'
import { DuckDBInstance } from '../duckdb.ts'
import { readError } from '../error-while.ts'
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
    throw readError(cause, path)
  }
}
