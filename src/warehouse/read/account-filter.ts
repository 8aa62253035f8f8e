import { inOrder } from '../../definitions/definition-order.ts'
import { quoteIdentifier, quoteIdentifiers } from '../../definitions/quote.ts'
import { ACCOUNT } from '../../definitions/tables.ts'
import { temporary } from '../../definitions/view-file.ts'
import { resources } from '../../resources/index.ts'
import { columnsOf } from '../content-hash.ts'
import { allTables } from '../schema/create.ts'
import type { Session } from './session.ts'
import { withMissingColumns } from './session-definitions.ts'
import { parserOn } from './session-parser.ts'

/** Limits tables and definitions to the rows of some accounts. `copied` rows go to temporary tables of the session. */
export async function filterByAccount(
  session: Narrowed,
  accounts: readonly bigint[],
  { copied = false } = {},
): Promise<void> {
  const chosen = `where ${ACCOUNT.name} in (${accounts.join(', ')})`
  await narrowTables(session, () => chosen, copied)
}

/** Limits the table `only` to the rows whose key (columns `key`) is in the relation `kept`. */
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

/**
 * Hides tables behind temporary views with fewer rows. `choiceOf` returns SQL that selects rows of a table, or
 * undefined to keep all its rows.
 */
async function narrowTables(
  session: Narrowed,
  choiceOf: (table: string) => string | undefined,
  copied: boolean,
): Promise<void> {
  const parser = parserOn(session)
  const { rows: found } = await session.query('select current_database()')
  const declared = new Map(allTables(resources).map((table) => [table.name, table.columns]))
  const tables = [...(await columnsOf(parser))].filter(([, columns]) => columns.includes(ACCOUNT.name))
  const views = tables.flatMap(([table, columns]) => {
    const choice = choiceOf(table)
    if (choice === undefined) return []
    const all = withMissingColumns(String(found[0]![0]), table, columns, declared.get(table))
    const view = `create or replace temp view ${quoteIdentifier(table)} as`
    const rows = `temp.main.${quoteIdentifier(`rows of ${table}`)}`
    return copied
      ? [`create temp table ${rows} as ${all} ${choice}`, `${view} from ${rows}`]
      : [`${view} ${all} ${choice}`]
  })
  const definitions = await inOrder(parser, session.definitions)
  await session.define([...views, ...definitions.map(temporary)].join(';\n'))
}

/** Maximum number of incidents to copy into a session. Copying more would take longer than it saves. */
const COPIED_MOST = 500_000

/** Whether `filterByAccount` should copy the rows of the account. */
export async function isCopied(session: Pick<Session, 'query'>, id: bigint): Promise<boolean> {
  const { rows } = await session.query('select count(*) from incidents where account_id = $id', { id })
  return Number(rows[0]![0]) <= COPIED_MOST
}
