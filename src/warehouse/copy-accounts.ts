import { existsSync } from 'node:fs'
import { quoteIdentifier } from '../definitions/quote.ts'
import { ACCOUNT } from '../definitions/tables.ts'
import { WarehouseError } from '../errors.ts'
import { resources } from '../resources/index.ts'
import type { Settings } from '../settings/settings.ts'
import { type Content, columnsOf, contentOf } from './content-hash.ts'
import { copySafely, makeFolder, noWarehouse } from './file/files.ts'
import { ROWS } from './file/verify-file.ts'
import type { Published } from './published.ts'
import { openWarehouse, publishAll, type Warehouse } from './warehouse.ts'

/**
 * Maximum number of accounts per publication. Each publication copies the whole file, so few publications are faster.
 * In a lake, each account needs connections, so the number is limited.
 */
const TOGETHER = 10

interface CopyOptions {
  readonly settings: Settings
  readonly memoryLimit: string
  readonly signal: AbortSignal
  /** Called when an account is equal in both warehouses, with the number of equal accounts and of all accounts. */
  readonly onEqual: (accounts: number, of: number) => void
}

/**
 * Copies all published accounts into another warehouse and compares every value. A second call completes an interrupted
 * copy.
 * @returns counts of what is equal in both warehouses. `present` accounts were in the target before the copy
 * @throws WarehouseError if the target contains other rows (then it is unchanged), or differs after the copy
 */
export async function copyWarehouse(source: Published, target: Published, options: CopyOptions) {
  const all = [...(await source.accounts()).keys()]
  if (all.length === 0) throw noWarehouse(source.files)
  makeFolder(target.files)
  const present = [...(await target.accounts()).keys()]
  const other = present.find((account) => !all.includes(account))
  if (other !== undefined) throw holdsOthers(target, `account ${other}, which is not in ${source.name}`)
  let [accounts, rows, tables] = [0, 0, 0]
  let columns: Awaited<ReturnType<typeof commonColumns>> | undefined
  /** Returns the tables in which the account's rows differ. If all are equal, adds the rows to the totals. */
  const differingTables = async (account: bigint): Promise<string[]> => {
    columns ??= await commonColumns(source, target)
    const contents = await contentsOf(source, columns, account)
    const copied = await contentsOf(target, columns, account)
    const differing = [...contents].filter(([table, { digest }]) => copied.get(table)?.digest !== digest)
    if (differing.length > 0) return differing.map(([table]) => table)
    for (const content of contents.values()) rows += Number(content.rows)
    tables = contents.size
    options.onEqual(++accounts, all.length)
    return []
  }
  for (const account of present) {
    const differing = await differingTables(account)
    if (differing.length > 0)
      throw holdsOthers(target, `other rows of account ${account} (${differing.join(', ')})`)
  }
  // This file contains the figures of report runs that no sync has loaded into the warehouse yet.
  if (existsSync(source.files.reportRuns) && !existsSync(target.files.reportRuns))
    copySafely(source.files.reportRuns, target.files.reportRuns)
  const missing = all.filter((account) => !present.includes(account))
  while (missing.length > 0) {
    const some = missing.splice(0, TOGETHER)
    await publishCopies(source, target, some, options)
    for (const account of some) {
      if ((await differingTables(account)).length === 0) continue
      // A sync could have published the account in the meantime.
      await publishCopies(source, target, [account], options)
      const differing = await differingTables(account)
      if (differing.length === 0) continue
      throw new WarehouseError(
        `Account ${account} of ${target.name} differs from that of ${source.name}: ${differing.join(', ')}.`,
        {
          next: 'Stop the syncs of both, and copy into a new warehouse. If it fails again, report this message.',
        },
      )
    }
  }
  return { accounts, rows, tables, present: present.length }
}

function holdsOthers({ name }: Published, what: string): WarehouseError {
  return new WarehouseError(`${name} contains ${what}.`, {
    next: 'Nothing was copied. Specify a new file, or for a lake a new database and a new location for its rows.',
  })
}

async function publishCopies(
  from: Published,
  to: Published,
  accounts: readonly bigint[],
  { settings, memoryLimit, signal }: CopyOptions,
): Promise<void> {
  const opened: Warehouse[] = []
  try {
    for (const accountId of accounts) {
      signal.throwIfAborted()
      const warehouse = await openWarehouse(to, resources, { settings, memoryLimit, accountId, from })
      opened.push(warehouse)
      await warehouse.finish()
    }
    const failures = await publishAll(opened, resources, settings)
    const failure = failures.find((one) => one !== undefined)
    if (failure !== undefined) throw failure
  } finally {
    for (const warehouse of opened) await warehouse.close()
  }
}

/** Returns columns that both warehouses have, by table. Skips tables whose rows do not belong to accounts. */
async function commonColumns(...both: readonly Published[]): Promise<Map<string, string[]>> {
  const [first, second] = await Promise.all(
    both.map((published) =>
      published.inside(new Map<string, string[]>(), async (connection) => {
        const tables = await columnsOf(connection)
        // The row counts can differ, because publishing counts the rows again.
        tables.delete(ROWS)
        return tables
      }),
    ),
  )
  const common = [...first!].map(([table, columns]) => {
    return [table, columns.filter((column) => second!.get(table)?.includes(column))] as const
  })
  return new Map(common.filter(([, columns]) => columns.includes(ACCOUNT.name)))
}

function contentsOf(published: Published, tables: ReadonlyMap<string, string[]>, account: bigint) {
  return published.inside(new Map<string, Content>(), async (connection) => {
    const contents = new Map<string, Content>()
    for (const [table, columns] of tables)
      contents.set(table, await contentOf(connection, quoteIdentifier(table), columns, account))
    return contents
  })
}
