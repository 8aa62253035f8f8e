import type { DuckDBConnection } from '@duckdb/node-api'
import { filesFor } from '../../definitions/custom-definitions-sql.ts'
import { checkCustomViews, customViews } from '../../definitions/custom-views.ts'
import { inOrder, neededBy } from '../../definitions/definition-order.ts'
import { mayNameMetric, metricViews } from '../../definitions/metric-views.ts'
import { quoteIdentifier } from '../../definitions/quote.ts'
import { temporarySettings } from '../../definitions/settings-tables.ts'
import type { TableColumn } from '../../definitions/tables.ts'
import { temporary, type ViewFile } from '../../definitions/view-file.ts'
import { resources } from '../../resources/index.ts'
import type { Resource } from '../../resources/resource.ts'
import type { Settings } from '../../settings/settings.ts'
import { columnsOf } from '../content-hash.ts'
import { allTables, isMadeOf } from '../schema/create.ts'
import { ledgerNames } from '../schema/ledger-tables.ts'
import { missingMigrations } from '../schema/migrations.ts'
import { temporaryReportRuns } from './report-runs.ts'

/** Definitions that each session creates as temporary relations. They hide the definitions in the file. */
export interface Present {
  /** SQL for temporary tables, to run first. Empty if the file has the same tables and settings. */
  readonly tables: string
  /** Views and macros to create. Empty if the file contains them. */
  readonly views: readonly ViewFile[]
  /** All definitions except metric views, even if the file contains them. */
  readonly all: readonly ViewFile[]
  /** Metric views. Creating them takes half a second, so a session does that only for a statement that uses one. */
  readonly metrics: readonly ViewFile[]
}

/**
 * Returns the SQL definitions that this version of the program derives from the settings. Each session uses them
 * instead of the definitions stored in the file.
 * @param reportRuns file with report runs to add to the table `report_runs`
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
  const views = isUpToDate ? (settings.sql?.isPublished ? [] : own) : all
  return { tables: [...tables, ...ledger].join(';\n'), views, all, metrics: metricViews(all) }
}

/** Creates definitions only when a statement uses them, because creating all of them takes 100 ms. */
export interface Definer {
  /** Creates the definitions that a statement uses. Without a statement, creates all definitions. */
  define(sql?: string): Promise<void>
  /** Marks the name of a stored result, so that no definition replaces the result. */
  taken(name: string): void
}

export function definesOn(connection: DuckDBConnection, { tables, views: plain, metrics }: Present): Definer {
  const taken = new Set<string>()
  let tablesRun: Promise<unknown> | undefined
  const define = async (sql?: string) => {
    if (tables) tablesRun ??= connection.run(tables)
    await tablesRun
    // Metric views in the file are not limited to the session's accounts, so they are always created.
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
    // Calls run one after another, because each can use relations of the previous one.
    define(sql) {
      last = last.catch(() => undefined).then(() => define(sql))
      return last
    },
    taken: (name) => void taken.add(name),
  }
}

/** Returns statements for temporary relations that add what an older file lacks: empty tables, and NULL columns. */
export async function missingTables(
  connection: DuckDBConnection,
  known: readonly Resource[] = resources,
): Promise<string[]> {
  await missingMigrations(connection)
  const found = await connection.runAndReadAll('select current_database()')
  const tables = await columnsOf(connection)
  return allTables(known).flatMap(({ name, columns }) => {
    const present = tables.get(name)
    if (!present) {
      const typed = columns.map((column) => `${quoteIdentifier(column.name)} ${column.type}`)
      return [`create or replace temp table ${quoteIdentifier(name)} (${typed.join(', ')})`]
    }
    if (columns.every((column) => present.includes(column.name))) return []
    const select = withMissingColumns(String(found.getRows()[0]![0]), name, present, columns)
    return [`create or replace temp view ${quoteIdentifier(name)} as ${select}`]
  })
}

/** Selects NULL for missing columns. Names the database, so that a temporary view can have the name of the table. */
export function withMissingColumns(
  database: string,
  table: string,
  present: readonly string[],
  declared: readonly TableColumn[] = [],
): string {
  const missing = declared
    .filter(({ name }) => !present.includes(name))
    .map(({ name, type }) => `, null::${type} as ${quoteIdentifier(name)}`)
  return `select *${missing.join('')} from ${quoteIdentifier(database)}.main.${quoteIdentifier(table)}`
}
