import type { DuckDBConnection } from '@duckdb/node-api'
import { allViews } from '../../definitions/custom-views.ts'
import { DuckDBInstance } from '../../definitions/duckdb.ts'
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

/**
 * Kind of a relation or a macro. It states the source of a table, the kind of a definition in `sql/`, or that the
 * relation is the view of a metric.
 */
export type RelationKind =
  | 'service'
  | 'sync'
  | 'settings'
  | 'view'
  | 'metric'
  | 'table macro'
  | 'shape macro'
  | 'macro'

/** A column with its type, or a parameter. A parameter has the type of its argument. */
export interface Described {
  readonly name: string
  readonly type: string
  readonly meaning: string
}

/** A table, view or macro of a warehouse, with its description. */
export interface Relation {
  readonly name: string
  readonly kind: RelationKind
  /** The question that a metric answers. Undefined for other relations. */
  readonly question?: string
  /** Columns that form a unique key, if known. */
  readonly key?: readonly string[]
  readonly meaning: string
  readonly parameters: readonly Described[]
  /** Empty for a scalar macro. */
  readonly columns: readonly Described[]
}

const PARAMETER = 'parameter: '

/** Describes everything that a warehouse with these resources and settings contains. Creates such a warehouse in memory. */
export async function readSchema(
  resources: readonly Resource[],
  settings: Settings = defaultSettings,
): Promise<Relation[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const sql = settings.sql && { ...settings.sql, isPublished: true }
    await createTables(connection, resources, { ...settings, sql })
    return [
      ...(await tablesIn(connection, resources)),
      ...(await relationsOfFiles(connection, allViews(settings, ledgerNames))),
    ]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
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
    tables.push({
      name,
      kind: fromService.has(name) ? 'service' : fromSync.has(name) ? 'sync' : 'settings',
      meaning: String(comment ?? ''),
      parameters: [],
      columns: await columnsOf(connection, name),
    })
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
  // A macro that returns incidents has their columns.
  const ofIncidents = files.find(({ name }) => name === 'incident_times')?.columns
  for (const { file, name, kind, comment, question, key, columns: meanings, parameters: names } of files) {
    const columns =
      kind === 'view'
        ? await columnsOf(connection, name)
        : kind === 'table macro'
          ? (await typesOf(connection, `${quoteIdentifier(name)}()`)).map(([column, type]) => ({
              name: column,
              type,
              meaning: meanings.get(column) ?? ofIncidents?.get(column) ?? '',
            }))
          : []
    // Common parameters are described in the first macro that uses them.
    const describedBy = (parameter: string) =>
      meanings.get(parameter) ??
      files.flatMap((file) => file.columns.get(parameter) ?? []).find((one) => one.startsWith(PARAMETER)) ??
      ''
    const parameters = [...names.keys()].map((parameter) => ({
      name: parameter,
      type: '',
      meaning: describedBy(parameter).replace(PARAMETER, ''),
    }))
    relations.push(
      question !== null && kind === 'view'
        ? { name, kind: 'metric', question, key, meaning: comment, parameters, columns }
        : {
            name,
            kind: file.startsWith('sql/shapes/') ? 'shape macro' : kind,
            meaning: comment,
            parameters,
            columns,
          },
    )
  }
  return relations
}

async function columnsOf(connection: DuckDBConnection, relation: string): Promise<Described[]> {
  const found = await connection.runAndReadAll(
    `select column_name, data_type, comment from duckdb_columns()
    where table_name = ${quoteLiteral(relation)} and not internal order by column_index`,
  )
  return found.getRows().map(([name, type, comment]) => ({
    name: String(name),
    type: String(type),
    meaning: String(comment ?? ''),
  }))
}

async function typesOf(connection: DuckDBConnection, relation: string): Promise<[string, string][]> {
  const found = await connection.runAndReadAll(
    `select column_name, column_type from (describe from ${relation})`,
  )
  return found.getRows().map(([column, type]) => [String(column), String(type)])
}
