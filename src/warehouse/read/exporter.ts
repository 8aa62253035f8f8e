import type { DuckDBConnection } from '@duckdb/node-api'
import { METRIC } from '../../definitions/metric-views.ts'
import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import { choicesOf } from '../../definitions/rule-placeholders.ts'
import { withDisplayComments } from '../../definitions/rules.ts'
import { temporary } from '../../definitions/view-file.ts'
import { resources } from '../../resources/index.ts'
import type { ObjectStore } from '../../settings/object-store.ts'
import type { Settings } from '../../settings/settings.ts'
import { errorWhile } from '../database-errors.ts'
import type { Published } from '../published.ts'
import { allTables } from '../schema/create.ts'
import {
  allOf,
  type Piece,
  piecesOf,
  type ResultColumn,
  type Run,
  rowsMissing,
  runCancellable,
} from './rows.ts'
import type { Session } from './session.ts'
import { definesOn, type Present, presentDefinitions } from './session-definitions.ts'

export interface Relation {
  readonly name: string
  readonly comment: string | null
  /** Columns that identify a row. Empty if unknown. */
  readonly key: readonly string[]
  readonly columns: readonly (ResultColumn & { comment: string | null })[]
}

export type Exporter = Awaited<ReturnType<typeof openExporter>>

/** Rows per row group in Parquet files. More would exceed the memory limit, fewer would compress less. */
const ROW_GROUP = 20_000

interface ExportOptions {
  /** Absolute path of an existing folder, or a location in an object store. */
  readonly folder: string
  readonly store?: ObjectStore | undefined
  readonly memoryLimit?: string
  readonly settings: Settings
  readonly signal: AbortSignal
}

/**
 * Opens the warehouse for an export, which can write files only below `folder`. @throws WarehouseError if the warehouse
 * is missing or unreadable
 */
export async function openExporter(
  published: Published,
  { folder, store, memoryLimit, settings, signal }: ExportOptions,
) {
  const limit = memoryLimit === undefined ? {} : { memory_limit: memoryLimit }
  const opened = await published.open({ settings: limit, writing: { folder, store } })
  const connection = await opened.connect()
  const stop = () => connection.interrupt()
  signal.addEventListener('abort', stop)
  const run: Run = (act) =>
    runCancellable(act, signal, (cause) => errorWhile('exporting', 'The export failed', cause))
  const present = await run(async () => {
    await connection.run("set global TimeZone = 'UTC'")
    const definitions = await presentDefinitions(connection, settings, published.files.reportRuns)
    await definesOn(connection, definitions).define()
    await connection.run('set global lock_configuration = true')
    return definitions
  })
  const list = (sql: string) =>
    run(async () => (await connection.runAndReadAll(sql)).getRows().map((row) => row[0] as string | null))
  const copy = async (sql: string, to: string, options: string) =>
    Number((await list(`copy (${sql}) to ${quoteLiteral(to)} (format ${options})`))[0])
  const session: Pick<Session, 'query' | 'define' | 'definitions'> = {
    definitions: present.all,
    query: (sql) => run(async () => allOf(piecesOf(await connection.run(sql), run))),
    define: (sql) => run(async () => void (await connection.run(sql))),
  }
  return {
    /** A sentence about changes by another program, with a next step. */
    notice: opened.notice,
    /** The session to read from. Limit it to the selected accounts before anything is written. */
    session,
    /** Returns tables and views by name. Creating the metric views takes 0.5 s. */
    relations: (withMetrics: boolean) => run(() => relationsOf(connection, present, withMetrics)),
    /** Names of the relations and macros in `sql/` and in the user's own folder. */
    definitions: [...present.all, ...present.metrics].map(({ name }) => name),
    list,
    /** Writes the rows of a query to a file below the folder. Returns the number of rows. */
    copy: (sql: string, file: string, format: 'parquet' | 'json') =>
      copy(sql, file, format === 'json' ? 'json' : `parquet, compression zstd, row_group_size ${ROW_GROUP}`),
    write: (text: string, file: string) => copy(`select encode(${quoteLiteral(text)})`, file, 'blob'),
    /** Overwrites the folder with an empty result, because DuckDB cannot delete files in an object store. */
    clear: (folder: string) =>
      copy('select 1 as part, 1 as row where false', folder, 'parquet, partition_by (part), overwrite true'),
    /** Returns the rows of a query in pieces. There is at least one piece, because each piece contains the columns. */
    async *stream(sql: string): AsyncGenerator<Piece> {
      // If DuckDB cannot read a row, a stream just ends without an error, so the rows are counted first.
      const total = Number((await list(`select count(*) from (${sql})`))[0])
      let count = 0
      for await (const piece of piecesOf(await run(() => connection.stream(sql)), run)) {
        count += piece.rows.length
        yield piece
      }
      if (count !== total) throw rowsMissing(count, total)
    },
    close() {
      signal.removeEventListener('abort', stop)
      connection.closeSync()
      opened.close()
    },
  }
}

async function relationsOf(
  connection: DuckDBConnection,
  { all: definitions, metrics: ofMetrics }: Present,
  withMetrics: boolean,
): Promise<Map<string, Relation>> {
  const metrics = withMetrics ? ofMetrics : []
  if (withMetrics) await connection.run(metrics.map(temporary).join(';\n'))
  const found = await connection.runAndReadAll(`
    with meanings as (
      select table_name, max(comment) as meaning from (
        select table_name, comment from duckdb_tables() union all select view_name, comment from duckdb_views()
      ) group by table_name
    )
    select table_name, meaning, column_name, data_type, max(comment) over (partition by table_name, column_name)
    from duckdb_columns() left join meanings using (table_name)
    where schema_name = 'main' and not internal and database_name in (current_database(), 'temp')
    -- A temporary relation hides a stored one with the same name, but has the same comments.
    qualify (database_name = 'temp') = bool_or(database_name = 'temp') over (partition by table_name)
    order by table_name, column_index`)
  type Row = [string, string | null, string, string, string | null]
  const relations = new Map<string, Relation & { columns: Relation['columns'][number][] }>()
  const tables = allTables(resources)
  const keys = new Map(tables.map(({ name: table, key = [] }) => [table, key]))
  // A lake does not store views, so missing comments come from the definitions.
  const files = withDisplayComments([...definitions, ...metrics], await choicesOf(connection))
  const views = new Map(files.map((view) => [view.name, view]))
  for (const [table, meaning, column, type, comment] of found.getRows() as Row[]) {
    const view = views.get(table)
    // Skips metric views that exist only in the file, because they use the settings in the file.
    if (table.startsWith(METRIC) && view === undefined) continue
    const relation = relations.get(table) ?? {
      name: table,
      comment: meaning ?? view?.comment ?? null,
      key: keys.get(table) ?? view?.key ?? [],
      columns: [],
    }
    relation.columns.push({ name: column, type, comment: comment ?? view?.columns.get(column) ?? null })
    relations.set(table, relation)
  }
  // Restores the declared order, because a file contains columns in the order in which they were added.
  for (const { name: table, columns } of tables) {
    const declared = new Map(columns.map((column, index) => [column.name, index]))
    const placeOf = (column: ResultColumn) => declared.get(column.name) ?? declared.size
    relations.get(table)?.columns.sort((a, b) => placeOf(a) - placeOf(b))
  }
  return relations
}

export function columnsIn({ columns }: Relation): string {
  return columns.map(({ name: column }) => `t.${quoteIdentifier(column)}`).join(', ')
}

/** Returns a select list for a text format. Times are ISO 8601 in UTC, and lists optionally JSON. */
export function textColumns({ columns }: Relation, listsAsText: boolean): string {
  return columns
    .map(({ name: column, type }) => {
      const value = `t.${quoteIdentifier(column)}`
      if (type === 'TIMESTAMP WITH TIME ZONE') {
        return `strftime(${value}, '%Y-%m-%dT%H:%M:%S.%gZ') as ${quoteIdentifier(column)}`
      }
      return listsAsText && type.endsWith('[]')
        ? `to_json(${value})::varchar as ${quoteIdentifier(column)}`
        : value
    })
    .join(', ')
}
