import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { ACCOUNT } from '../../definitions/tables.ts'
import { replaceFile } from '../../effects.ts'
import type { Database } from '../schema/database.ts'
import { lockAccount, waitForLock } from './file-lock.ts'
import { keptFiles, makeFolder, PRIVATE, type PublishedFiles, type WarehouseFiles } from './files.ts'
import { setLogsAside } from './logs.ts'
import { accountsInFile } from './publish-to-file.ts'
import { type Rewriting, rewriteFiles } from './rewrite.ts'

export interface Removed {
  readonly accountId: bigint
  /** Name for readers, or null. */
  readonly name: string | null
}

/**
 * Removes an account from the files of this machine: its working file, reserve copies, and report figures that were
 * limited to it. Rewrites the files, so that no byte of the removed rows remains. To complete an interrupted removal,
 * run it again.
 * @param rest removes the remaining data under the account's lock
 * @throws WarehouseError while a sync writes an account
 */
export async function removeFromMachine(
  files: WarehouseFiles,
  removed: Removed,
  rest: () => Promise<void> = () => rewriteFiles(files, withoutAccount(removed)),
): Promise<void> {
  makeFolder(files)
  const release = await lockAccount(files, removed.accountId)
  try {
    const own = readdirSync(files.folder).filter((file) => file.startsWith(`${removed.accountId}.duckdb`))
    for (const file of [...own.map((one) => join(files.folder, one)), ...keptFiles(files), files.next])
      rmSync(file, { recursive: true, force: true })
    forgetRuns(files.reportRuns, removed)
    await rest()
  } finally {
    release()
  }
}

/** Also removes the account from the published copy, last. */
export function removeFromFile(files: PublishedFiles, removed: Removed): Promise<void> {
  // A log of another program contains rows too. Files that are set aside are removed below.
  setLogsAside(files)
  return removeFromMachine(files, removed, async () => {
    const others = [...(await accountsInFile(files)).keys()].filter((one) => one !== removed.accountId)
    if (others.length === 0) await removeAll(files)
    else await rewriteFiles(files, withoutAccount(removed))
  })
}

/** Removes the entire warehouse, because no other account was published. */
async function removeAll(files: PublishedFiles): Promise<void> {
  const release = await waitForLock(files.publishing)
  try {
    for (const file of [files.published, files.reportRuns, join(files.folder, 'generation.json')])
      rmSync(file, { force: true })
  } finally {
    release()
  }
}

/** Returns the texts that identify an account in the column `account` of a report run. */
export function narrowedTo({ accountId, name }: Removed): string[] {
  return [String(accountId), ...(name === null ? [] : [name])]
}

/** Removes lines from the ledger: unreadable ones, and those of report runs that were limited to the account. */
function forgetRuns(file: string, removed: Removed): void {
  if (!existsSync(file)) return
  const names = narrowedTo(removed)
  const lines = readFileSync(file, 'utf8').split('\n')
  const kept = lines.filter((line) => {
    try {
      const { account } = JSON.parse(line) as { account?: unknown }
      return !String(account)
        .split(',')
        .some((one) => names.includes(one.trim()))
    } catch {
      return false
    }
  })
  replaceFile(file, kept.map((line) => `${line}\n`).join(''), PRIVATE)
}

function withoutAccount(removed: Removed): Rewriting {
  const ofRuns = sql`list_has_any(
    list_transform(string_split(account, ','), lambda one: trim(one)), ${narrowedTo(removed)}::varchar[])`
  const parts = async (db: Kysely<Database>) => {
    const { rows } = await sql<{ name: string; column: string }>`
      select table_name as name, column_name as "column" from duckdb_columns() join duckdb_tables() using (database_name, schema_name, table_name)
      where database_name = current_database() and (column_name = ${ACCOUNT.name} or (table_name = 'report_runs' and column_name = 'account'))`.execute(
      db,
    )
    return rows.map(({ name, column }) => ({
      table: sql.table(name),
      where: column === ACCOUNT.name ? sql`${sql.ref(column)} = ${removed.accountId}` : ofRuns,
    }))
  }
  return {
    async isNeeded(db) {
      for (const { table, where } of await parts(db)) {
        const { rows } = await sql`select 1 from ${table} where ${where} limit 1`.execute(db)
        if (rows.length > 0) return true
      }
      return false
    },
    async change(db) {
      for (const { table, where } of await parts(db))
        await sql`delete from ${table} where ${where}`.execute(db)
    },
  }
}
