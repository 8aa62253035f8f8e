import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { Kysely } from 'kysely'
import type { Database } from './database.ts'
import { DuckDbDialect } from './dialect.ts'
import type { WarehouseFiles } from './files.ts'
import { takeLock } from './lock.ts'
import { MEMORY_LIMIT } from './open-file.ts'
import { keepPrivate } from './private.ts'
import { literal } from './quote.ts'
import { writeError } from './write-error.ts'

const FRUGAL = { memory_limit: MEMORY_LIMIT, preserve_insertion_order: 'false' }

/**
 * Changes what is stored, in the published copy and in the working file, and leaves nothing behind of what it was: DuckDB
 * only marks changed blocks as free, so each file is written anew. The files must be closed. Each is replaced by a
 * rename: whole or not at all.
 * @throws WarehouseError when somebody else writes them, or the disk is full; a file that was not replaced is as before
 */
export async function rewriteFiles(
  files: WarehouseFiles,
  change: (db: Kysely<Database>) => Promise<void>,
): Promise<void> {
  const doing = `Writing ${files.published} anew`
  const unlock = await takeLock(files.lock).catch((cause: unknown) => {
    throw writeError(doing, cause)
  })
  const letOthersRead = keepPrivate()
  const changed = `${files.next}.changed`
  const remove = (file: string) => {
    for (const path of [file, `${file}.wal`, `${file}.tmp`]) rmSync(path, { recursive: true, force: true })
  }
  const removeBoth = () => {
    remove(files.next)
    remove(changed)
  }
  try {
    for (const file of [files.published, files.working]) {
      if (!existsSync(file)) continue
      removeBoth()
      copyFileSync(file, changed)
      await changeFile(changed, change)
      await copyDatabase(changed, files.next)
      // First: it still holds what was changed, and after the last rename nothing would ever look for it again.
      remove(changed)
      renameSync(files.next, file)
    }
  } catch (cause) {
    throw writeError(doing, cause)
  } finally {
    removeBoth()
    unlock()
    letOthersRead()
  }
}

async function changeFile(file: string, change: (db: Kysely<Database>) => Promise<void>) {
  const instance = await DuckDBInstance.create(file, FRUGAL)
  const connection = await instance.connect()
  try {
    await connection.run(`set TimeZone = 'UTC'`)
    await change(new Kysely<Database>({ dialect: new DuckDbDialect(connection) }))
    await connection.run('checkpoint')
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Tables, views and macros into a new file, without what is free in the old one. */
async function copyDatabase(from: string, to: string) {
  // Without a file of its own it would put what does not fit into memory into the folder it was started in.
  const instance = await DuckDBInstance.create(':memory:', { ...FRUGAL, temp_directory: `${to}.tmp` })
  const connection = await instance.connect()
  try {
    await connection.run(`set TimeZone = 'UTC'`)
    await connection.run(`attach ${literal(from)} as former (read_only)`)
    await connection.run(`attach ${literal(to)} as fresh`)
    await connection.run('copy from database former to fresh')
    await connection.run('checkpoint fresh')
    await connection.run('detach fresh')
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
