import { existsSync, statSync } from 'node:fs'
import { onConnection } from '../../definitions/duckdb.ts'
import { WarehouseError } from '../../errors.ts'
import { isInStore } from '../../settings/object-store.ts'
import { readError } from '../database-errors.ts'
import { enclose } from '../extensions.ts'
import type { Opened, OpenOptions } from '../published.ts'
import { spillFolder } from '../read/spill.ts'
import { noWarehouse, type PublishedFiles } from './files.ts'
import { openClosed, openInPlace } from './read-closed.ts'

/**
 * Files smaller than this number of bytes are read with one thread. Each thread reads 122,880 rows, so a second thread
 * would be idle.
 */
const SMALL = 32 * 2 ** 20

/** Opens the published file for reading. DuckDB can access no other files, except in the folder `writing`. */
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
      // DuckDB cannot change this setting after external access is disabled.
      ...(spill.path === undefined ? {} : { temp_directory: spill.path }),
      ...(statSync(path).size < SMALL ? { threads: '1' } : {}),
      ...settings,
      autoload_known_extensions: 'false',
      autoinstall_known_extensions: 'false',
      ...(writing ? {} : { enable_external_access: 'false' }),
    }
    const opened = isWorking ? await openInPlace(path, options) : await openClosed(path, options)
    end = opened.close
    opened.hide()
    const { instance, notice } = opened
    if (writing) await onConnection(instance, (connection) => enclose(connection, writing))
    return { connect: () => instance.connect(), close, holdsDefinitions: true, notice: notice?.text }
  } catch (cause) {
    close()
    throw readError(cause, path)
  }
}
