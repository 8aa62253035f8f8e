import { quoteIdentifier, quoteIdentifiers } from '../../definitions/quote.ts'
import { ACCOUNT } from '../../definitions/tables.ts'
import { resources } from '../../resources/index.ts'
import { allTables } from '../schema/create.ts'
import type { Session } from './session.ts'
import { temporaryViews } from './session-definitions.ts'
import { parserOn } from './session-parser.ts'

/**
 * Limits all tables and definitions of a session to some accounts. No report query can then bypass the filter.
 * @param copied copies the rows of these accounts into the session, because planning hundreds of small queries on a
 * lake takes longer
 */
export async function filterByAccount(
  session: Narrowed,
  accounts: readonly bigint[],
  { copied = false } = {},
): Promise<void> {
  const chosen = `where ${ACCOUNT.name} in (${accounts.join(', ')})`
  await narrowTables(session, () => chosen, copied)
}

/** Limits a session to rows of one table whose keys are in the column `key` of the relation `kept`. */
export async function narrowTo(
  session: Narrowed,
  only: string,
  kept: string,
  key: readonly string[],
): Promise<void> {
  const chosen = `semi join temp.main.${quoteIdentifier(kept)} using (${quoteIdentifiers(key)})`
  await narrowTables(session, (table) => (table === only ? chosen : undefined), false)
}

type Narrowed = Pick<Session, 'query' | 'define' | 'definitions'>

/** @param choiceOf returns the SQL after a table's name, or undefined to keep all its rows */
async function narrowTables(
  session: Narrowed,
  choiceOf: (table: string) => string | undefined,
  copied: boolean,
): Promise<void> {
  const { rows } = await session.query(`
    select database_name, table_name, list(column_name order by column_index)
    from duckdb_columns()
    where database_name = current_database() and schema_name = 'main'
      and table_name in (select table_name from duckdb_tables() where database_name = current_database())
    group by all`)
  const declared = new Map(allTables(resources).map((table) => [table.name, table.columns]))
  const views = rows.flatMap(([database, table, columns]) => {
    const present = new Set(columns as string[])
    const choice = choiceOf(String(table))
    const main = (one: string) => `${quoteIdentifier(String(database))}.main.${quoteIdentifier(one)}`
    if (!present.has(ACCOUNT.name) || choice === undefined) return []
    // Adds columns that the file lacks, as in every session.
    const missing = (declared.get(String(table)) ?? []).filter((column) => !present.has(column.name))
    const added = missing.map((column) => `null::${column.type} as ${quoteIdentifier(column.name)}`)
    const select = `select ${['*', ...added].join(', ')} from ${main(String(table))} ${choice}`
    const view = `create or replace temp view ${quoteIdentifier(String(table))} as`
    const rows = `temp.main.${quoteIdentifier(`rows of ${table}`)}`
    return copied ? [`create temp table ${rows} as ${select}`, `${view} from ${rows}`] : [`${view} ${select}`]
  })
  await session.define(
    [...views, ...(await temporaryViews(parserOn(session), session.definitions))].join(';\n'),
  )
}

/** Maximum number of incidents to copy into a session. Copying more would take longer than it saves. */
const COPIED_MOST = 500_000

/** Whether an account is small enough for `copied`. */
export async function isCopied(session: Pick<Session, 'query'>, id: bigint): Promise<boolean> {
  const { rows } = await session.query('select count(*) from incidents where account_id = $id', { id })
  return Number(rows[0]![0]) <= COPIED_MOST
}
