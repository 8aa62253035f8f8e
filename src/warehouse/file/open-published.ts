import { existsSync, statSync } from 'node:fs'
import { DuckDBInstance } from '../../definitions/duckdb.ts'
import { quoteLiteral } from '../../definitions/quote.ts'
import { WarehouseError } from '../../errors.ts'
import { isInStore } from '../../settings/object-store.ts'
import { readError } from '../database-errors.ts'
import { reachStore } from '../extensions.ts'
import type { Opened, OpenOptions } from '../published.ts'
import { spillFolder } from '../read/spill.ts'
import { noWarehouse, type PublishedFiles } from './files.ts'
import { openClosed } from './read-closed.ts'

/**
 * A file below this size has fewer rows than DuckDB assigns to one thread (122,880), so a second thread would only cost
 * CPU time.
 */
const SMALL = 32 * 2 ** 20

/** Opens a published copy read-only, without access to other files except those in the options. */
export async function openPublished(
  files: PublishedFiles,
  { settings, at, writing, isWorking }: OpenOptions = {},
): Promise<Opened> {
  if (at !== undefined) {
    throw new WarehouseError(
      'Past snapshots are only available in a lake; this warehouse is a single file.',
      {
        next: 'Use a backup: --warehouse FILE. A lake stores snapshots (src/lake/README.md).',
      },
    )
  }
  const { name: path } = files
  if (!existsSync(path)) throw noWarehouse(files)
  const isBeside = writing !== undefined && !isInStore(writing.folder)
  const spill = isBeside ? { path: `${writing.folder}/.tmp`, remove() {} } : spillFolder()
  let end = () => {}
  const close = () => {
    end()
    spill.remove()
  }
  try {
    const options = {
      // This must be set before external access is disabled, because the setting is then locked.
      ...(spill.path === undefined ? {} : { temp_directory: spill.path }),
      ...(statSync(path).size < SMALL ? { threads: '1' } : {}),
      ...settings,
      autoload_known_extensions: 'false',
      autoinstall_known_extensions: 'false',
      ...(writing ? {} : { enable_external_access: 'false' }),
    }
    const opened = isWorking ? await openWorking(path, options) : await openClosed(path, options)
    end = opened.close
    opened.hide()
    const { instance, notice } = opened
    if (writing) await enclose(instance, writing)
    return { connect: () => instance.connect(), close, holdsDefinitions: true, notice: notice?.text }
  } catch (cause) {
    close()
    throw readError(cause, path)
  }
}

/** Opens a working file together with its log, which contains batches that its sync stored. */
async function openWorking(path: string, options: Record<string, string>) {
  const instance = await DuckDBInstance.create(path, { ...options, access_mode: 'READ_ONLY' })
  return { instance, notice: undefined, hide() {}, close: () => instance.closeSync() }
}

async function enclose(
  instance: DuckDBInstance,
  { folder, store }: NonNullable<OpenOptions['writing']>,
): Promise<void> {
  const connection = await instance.connect()
  try {
    if (isInStore(folder)) await reachStore(connection, store!, folder)
    await connection.run(`set global allowed_directories = [${quoteLiteral(folder)}]`)
    await connection.run('set global enable_external_access = false')
  } finally {
    connection.closeSync()
  }
}
