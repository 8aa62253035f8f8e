import type { DuckDBConnection } from '@duckdb/node-api'
import { allViews } from '../../definitions/custom-views.ts'
import { onDatabase } from '../../definitions/duckdb.ts'
import { metricViews } from '../../definitions/metric-views.ts'
import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import { choicesOf } from '../../definitions/rule-placeholders.ts'
import { withDisplayComments } from '../../definitions/rules.ts'
import { tablesOf } from '../../definitions/tables.ts'
import type { ViewFile } from '../../definitions/view-file.ts'
import type { Resource } from '../../resources/resource.ts'
import { defaultSettings, type Settings } from '../../settings/settings.ts'
import { createTables } from './create.ts'
import { ledger, ledgerNames } from './ledger-tables.ts'

/** Tables are `service`, `sync` or `settings`, after the source of their rows. */
export type RelationKind = 'service' | 'sync' | 'settings' | ViewFile['kind'] | 'metric' | 'shape macro'

/** A column, or a parameter of a macro. A parameter has an empty type. */
export interface Described {
  readonly name: string
  readonly type: string
  readonly meaning: string
}

export interface Relation {
  readonly name: string
  readonly kind: RelationKind
  readonly question?: string
  readonly key?: readonly string[]
  readonly meaning: string
  readonly parameters: readonly Described[]
  /** Empty for a scalar macro. */
  readonly columns: readonly Described[]
}

/** Creates an empty warehouse in memory and returns all its tables, views and macros. */
export async function readSchema(
  resources: readonly Resource[],
  settings: Settings = defaultSettings,
): Promise<Relation[]> {
  return onDatabase(':memory:', {}, async (connection) => {
    const sql = settings.sql && { ...settings.sql, isPublished: true }
    await createTables(connection, resources, { ...settings, sql })
    return [
      ...(await tablesIn(connection, resources)),
      ...(await relationsOfFiles(connection, allViews(settings, ledgerNames))),
    ]
  })
}

async function tablesIn(connection: DuckDBConnection, resources: readonly Resource[]): Promise<Relation[]> {
  const fromService = new Set(resources.flatMap(tablesOf).map((table) => table.name))
  const fromSync = new Set<string>(ledger.map((table) => table.name))
  const found = await connection.runAndReadAll(
    `select table_name, comment from duckdb_tables()
    where not internal and table_name not like 'faultline_migrations%' order by table_name`,
  )
  const tables: Relation[] = []
  for (const [table, comment] of found.getRows()) {
    const name = String(table)
    const kind = fromService.has(name) ? 'service' : fromSync.has(name) ? 'sync' : 'settings'
    const columns = await describedColumns(connection, name)
    tables.push({ name, kind, meaning: String(comment ?? ''), parameters: [], columns })
  }
  return tables
}

async function relationsOfFiles(
  connection: DuckDBConnection,
  made: readonly ViewFile[],
): Promise<Relation[]> {
  const relations: Relation[] = []
  const metrics = metricViews(made)
  const files = withDisplayComments([...made, ...metrics], await choicesOf(connection))
  // For a macro that returns incidents, uses the descriptions of `incident_times`, which the macro does not repeat.
  const ofIncidents = files.find(({ name }) => name === 'incident_times')?.columns
  for (const { file, name, kind, comment, question, key, columns: meanings, parameters: names } of files) {
    const columns =
      kind === 'view'
        ? await describedColumns(connection, name)
        : kind === 'table macro'
          ? (await typedColumns(connection, name)).map(([name, type]) => {
              return { name, type, meaning: meanings.get(name) ?? ofIncidents?.get(name) ?? '' }
            })
          : []
    // If several macros share a parameter, only the first one describes it.
    const describedBy = (parameter: string) =>
      meanings.get(parameter) ??
      files.flatMap((file) => file.columns.get(parameter) ?? []).find((one) => /^parameter: /.test(one)) ??
      ''
    const parameters = Array.from(names.keys(), (name) => {
      return { name, type: '', meaning: describedBy(name).replace(/^parameter: /, '') }
    })
    const isShape = file.startsWith('sql/shapes/')
    relations.push({
      ...(question !== null && kind === 'view'
        ? { name, kind: 'metric', question, key }
        : { name, kind: isShape ? 'shape macro' : kind }),
      ...{ meaning: comment, parameters, columns },
    })
  }
  return relations
}

async function describedColumns(connection: DuckDBConnection, relation: string): Promise<Described[]> {
  const found = await connection.runAndReadAll(
    `select column_name, data_type, coalesce(comment, '') from duckdb_columns()
    where table_name = ${quoteLiteral(relation)} and not internal order by column_index`,
  )
  const columns = found.getRows() as [string, string, string][]
  return columns.map(([name, type, meaning]) => ({ name, type, meaning }))
}

async function typedColumns(connection: DuckDBConnection, macro: string): Promise<[string, string][]> {
  const found = await connection.runAndReadAll(
    `select column_name, column_type from (describe from ${quoteIdentifier(macro)}())`,
  )
  return found.getRows() as [string, string][]
}
