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

/** Definitions that replace those in the file. Empty if the file was created with the same definitions. */
export interface Present {
  /** SQL of temporary tables, to run first. */
  readonly tables: string
  /** Definitions of `sql/` and of a user's own folder, to be created as temporary relations. */
  readonly views: readonly ViewFile[]
  /** All definitions, even those that the file contains, except metric views. */
  readonly all: readonly ViewFile[]
  /** The metric views. Creating all of them takes longer than everything else, and few statements use one. */
  readonly metrics: readonly ViewFile[]
}

/**
 * Returns this program's definitions and these settings, which replace those of the file in each session. They are created as
 * temporary tables `config_*` and temporary relations of `sql/`, so that figures follow the current configuration without a
 * new sync. In a copy of an older version, missing tables and columns appear empty. `report_runs` includes the ledger file
 * `reportRuns`.
 * @throws WarehouseError if a newer program wrote the file, ConfigError for an error in the user's own SQL
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

/** Creates definitions on a connection as they are needed. Creating all of them takes about 100 ms. */
export interface Definer {
  /** Creates the definitions that a statement uses, or without a statement all definitions. */
  define(sql?: string): Promise<void>
  /** Records that a stored result has this name. It takes precedence over a definition. */
  taken(name: string): void
}

export function definesOn(connection: DuckDBConnection, { tables, views: plain, metrics }: Present): Definer {
  const taken = new Set<string>()
  let tablesRun: Promise<unknown> | undefined
  const define = async (sql?: string) => {
    if (tables) tablesRun ??= connection.run(tables)
    await tablesRun
    // These are created even if the file contains them, because the session might be limited to some accounts.
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
    // Calls run one after another, because a call can depend on relations that the previous call creates.
    define(sql) {
      last = last.catch(() => undefined).then(() => define(sql))
      return last
    },
    taken: (name) => void taken.add(name),
  }
}

/**
 * Returns statements that create all definitions as temporary relations. These use temporary tables rather than stored
 * ones.
 */
export async function temporaryViews(parser: Parser, definitions: readonly ViewFile[]): Promise<string[]> {
  return (await inOrder(parser, definitions)).map(temporary)
}

/**
 * Returns SQL that adds the tables and columns that an older file lacks. The tables are empty temporary relations, and
 * the columns contain NULL.
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
    // The table's name is qualified, because otherwise the view would refer to itself.
    const from = `${quoteIdentifier(there.database)}.main.${quoteIdentifier(table.name)}`
    return [
      `create or replace temp view ${quoteIdentifier(table.name)} as select *, ${added.map(typed).join(', ')} from ${from}`,
    ]
  })
}
