import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { ACCOUNT } from '../../definitions/tables.ts'
import { replaceFile } from '../../effects.ts'
import { readLines } from '../read/report-runs.ts'
import type { Database } from '../schema/database.ts'
import { lockAccount, whileLocked } from './file-lock.ts'
import { keptFiles, makeFolder, PRIVATE, type PublishedFiles, type WarehouseFiles } from './files.ts'
import { setLogsAside } from './logs.ts'
import { accountsInFile } from './publish-to-file.ts'
import { type Rewriting, rewriteFiles } from './rewrite.ts'

export interface Removed {
  readonly accountId: bigint
  readonly name: string | null
}

/**
 * Removes an account from the files on this machine. A second call completes an interrupted removal.
 * @param rest removes the remaining rows, while the account is locked
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

/** Removes an account from the files on this machine. Changes the published copy last. */
export function removeFromFile(files: PublishedFiles, removed: Removed): Promise<void> {
  // Another program's log can contain rows of the account. `removeFromMachine` removes the logs that were set aside.
  setLogsAside(files)
  return removeFromMachine(files, removed, async () => {
    const others = [...(await accountsInFile(files)).keys()].filter((one) => one !== removed.accountId)
    if (others.length > 0) return rewriteFiles(files, withoutAccount(removed))
    // No other account was published, so the entire warehouse is removed.
    await whileLocked(files.publishing, async () => {
      for (const file of [files.published, files.reportRuns, join(files.folder, 'generation.json')])
        rmSync(file, { force: true })
    })
  })
}

/** Returns the values that identify this account in the `account` column of report runs: its id and any name. */
export function narrowedTo({ accountId, name }: Removed): string[] {
  return [String(accountId), ...(name === null ? [] : [name])]
}

/** Removes the report runs about the account, and lines that cannot be read. */
function forgetRuns(file: string, removed: Removed): void {
  if (!existsSync(file)) return
  const names = narrowedTo(removed)
  const isAbout = (account: unknown) =>
    String(account)
      .split(',')
      .some((one) => names.includes(one.trim()))
  const kept = readLines(file).filter(({ account }) => !isAbout(account))
  replaceFile(file, kept.map((run) => `${JSON.stringify(run)}\n`).join(''), PRIVATE)
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
