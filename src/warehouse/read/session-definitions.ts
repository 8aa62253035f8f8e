import type { DuckDBConnection } from '@duckdb/node-api'
import { filesFor } from '../../definitions/custom-definitions-sql.ts'
import { checkCustomViews, customViews } from '../../definitions/custom-views.ts'
import { inOrder, neededBy } from '../../definitions/definition-order.ts'
import { mayNameMetric, metricViews } from '../../definitions/metric-views.ts'
import type { Parser } from '../../definitions/parse-tree.ts'
import { quoteIdentifier } from '../../definitions/quote.ts'
import { temporarySettings } from '../../definitions/settings-tables.ts'
import type { TableColumn } from '../../definitions/tables.ts'
import { temporary, type ViewFile } from '../../definitions/view-file.ts'
import { resources } from '../../resources/index.ts'
import type { Resource } from '../../resources/resource.ts'
import type { Settings } from '../../settings/settings.ts'
import { allTables, isMadeOf } from '../schema/create.ts'
import { ledgerNames } from '../schema/ledger-tables.ts'
import { missingMigrations } from '../schema/migrations.ts'
import { temporaryReportRuns } from './report-runs.ts'

/** What sessions are given before what the file holds; nothing of a file that was made of just these. */
export interface Present {
  /** SQL of temporary tables; it comes first. */
  readonly tables: string
  /** Relations of `sql/`, and of a user's own folder, that are to be temporary ones. */
  readonly views: readonly ViewFile[]
  /** All that there are, also where the file holds them; without the views of metrics. */
  readonly all: readonly ViewFile[]
  /** The views of metrics. To make them all takes longer than all else, and few statements name one. */
  readonly metrics: readonly ViewFile[]
}

/**
 * What puts this program's definitions and these settings before those of the file, for each session: temporary
 * tables `config_*`, and every relation of `sql/` as a temporary one. So figures follow the present configuration
 * without a new sync, and a copy that an older version published is read with today's rules: tables and columns it does
 * not know yet are empty. `report_runs` holds what the ledger file `reportRuns` says as well.
 * @throws WarehouseError when the file was written by a newer program, ConfigError for a mistake in the user's own SQL
 */
export async function presentDefinitions(
  connection: DuckDBConnection,
  settings: Settings,
  reportRuns: string,
): Promise<Present> {
  const ledger = await temporaryReportRuns(connection, reportRuns)
  const isUpToDate =
    (await missingMigrations(connection)).length === 0 && (await isMadeOf(connection, resources, settings))
  const tables = isUpToDate ? [] : [...(await missingTables(connection)), ...temporarySettings(settings)]
  const own = customViews(settings, ledgerNames)
  await checkCustomViews(connection, own, ledgerNames)
  const all = [...(await filesFor(connection, settings)), ...own]
  const isOwnThere = isUpToDate && settings.sql?.isPublished
  const views = isUpToDate ? (isOwnThere ? [] : own) : all
  return { tables: [...tables, ...ledger].join(';\n'), views, all, metrics: metricViews(all) }
}

/** Gives a connection what is present, as far as it is asked for: all of it takes about 100 ms. */
export interface Definer {
  /** What a statement stands on; without one, all. */
  define(sql?: string): Promise<void>
  /** From now on a name is that of a result that is kept, which goes before a definition. */
  taken(name: string): void
}

export function definesOn(connection: DuckDBConnection, { tables, views: plain, metrics }: Present): Definer {
  const taken = new Set<string>()
  let tablesRun: Promise<unknown> | undefined
  const define = async (sql?: string) => {
    if (tables) tablesRun ??= connection.run(tables)
    await tablesRun
    // Also where the file has them: a session may be narrowed since.
    const views = sql !== undefined && mayNameMetric(sql) ? [...plain, ...metrics] : plain
    if (views.every(({ name }) => taken.has(name))) return
    const needed =
      sql === undefined ? await inOrder(connection, views) : await neededBy(connection, sql, views)
    const missing = needed.filter(({ name }) => !taken.has(name))
    for (const { name } of missing) taken.add(name)
    if (missing.length > 0) await connection.run(missing.map(temporary).join(';\n'))
  }
  let last: Promise<void> = Promise.resolve()
  return {
    // One after the other: what the first makes the second may read.
    define(sql) {
      last = last.catch(() => undefined).then(() => define(sql))
      return last
    },
    taken: (name) => void taken.add(name),
  }
}

/** Statements that make every definition a temporary one: they read temporary tables before those of the file. */
export async function temporaryViews(parser: Parser, definitions: readonly ViewFile[]): Promise<string[]> {
  return (await inOrder(parser, definitions)).map(temporary)
}

/**
 * What an older file lacks of the tables of today, as temporary relations of the same names: empty, or NULL.
 * @throws WarehouseError when the file was written by a newer program
 */
export async function missingTables(
  connection: DuckDBConnection,
  known: readonly Resource[] = resources,
): Promise<string[]> {
  await missingMigrations(connection)
  const found = await connection.runAndReadAll(
    `select current_database(), table_name, list(column_name) from duckdb_columns()
     where database_name = current_database() and schema_name = 'main' and not internal group by all`,
  )
  const present = new Map(
    found
      .getRowsJS()
      .map(([database, table, columns]) => [table, { database: String(database), columns }] as const),
  )
  return allTables(known).flatMap((table) => {
    const typed = (column: TableColumn) => `null::${column.type} as ${quoteIdentifier(column.name)}`
    const there = present.get(table.name)
    if (!there) {
      const columns = table.columns.map((column) => `${quoteIdentifier(column.name)} ${column.type}`)
      return [`create or replace temp table ${quoteIdentifier(table.name)} (${columns.join(', ')})`]
    }
    const added = table.columns.filter(({ name: column }) => !(there.columns as string[]).includes(column))
    if (added.length === 0) return []
    // A view finds itself under its plain name.
    const from = `${quoteIdentifier(there.database)}.main.${quoteIdentifier(table.name)}`
    return [
      `create or replace temp view ${quoteIdentifier(table.name)} as select *, ${added.map(typed).join(', ')} from ${from}`,
    ]
  })
}
