import type { DuckDBConnection } from '@duckdb/node-api'
import { listOf, lower, type Tree, treeOf, walk } from '../../definitions/parse-tree.ts'
import { WarehouseError } from '../../errors.ts'

/** Parts of DuckDB's catalog that a statement may read. */
const CATALOG = [
  ...['duckdb_columns', 'duckdb_constraints', 'duckdb_functions', 'duckdb_indexes', 'duckdb_keywords'],
  ...['duckdb_memory', 'duckdb_schemas', 'duckdb_tables', 'duckdb_types', 'duckdb_views'],
  ...['sqlite_master', 'sqlite_schema', 'sqlite_temp_master', 'sqlite_temp_schema'],
]

/** Table functions that only process their arguments. */
export const COMPUTING: ReadonlySet<string> = new Set([
  ...['range', 'generate_series', 'unnest', 'repeat', 'repeat_row', 'json_each', 'json_tree'],
  ...['icu_calendar_names', 'pg_timezone_names'],
])

/** Table macros that read a relation whose name is an argument. */
const BY_NAME = new Set(['query_table', 'histogram', 'histogram_values'])

const TABLE_FUNCTIONS: ReadonlySet<string> = new Set([...COMPUTING, ...BY_NAME, ...CATALOG])

/**
 * Relations that a statement may read in `information_schema`. Other names could be tables of a database file with this
 * name.
 */
const INFORMATION_SCHEMA: ReadonlySet<string> = new Set([
  ...['character_sets', 'columns', 'key_column_usage', 'referential_constraints', 'schemata'],
  ...['table_constraints', 'tables', 'constraint_column_usage', 'constraint_table_usage', 'views'],
])

/** Functions that change the process, wait, or show other rows. */
const REFUSED_FUNCTIONS: ReadonlySet<string> = new Set(['write_log', 'sleep_ms', 'stats'])

/** Functions for the arguments of a macro. They cannot return a new text, which might name a forbidden relation. */
const IN_ARGUMENTS: ReadonlySet<string> = new Set([
  ...['+', '-', '*', '/', '//', '%', 'list_value', 'struct_pack', 'row', 'map'],
  ...['coalesce', 'greatest', 'least'],
  ...['to_seconds', 'to_minutes', 'to_hours', 'to_days', 'to_weeks', 'to_months', 'to_quarters', 'to_years'],
  ...['trunc', 'date_trunc', 'make_date', 'make_timestamp', 'to_timestamp', 'timezone', 'now', 'today'],
  ...['current_date', 'get_current_timestamp', 'get_current_time', 'severity_rank', 'threshold', 'nullif'],
])

/** One unqualified identifier, such as `incident_times` or `"per week"`. */
const PLAIN_NAME = /^[\p{L}\p{N}_ $-]+$/u
/** A text that DuckDB could read as a relation name with a schema or database. */
const QUALIFIED = /^\s*("|[\p{L}_][\p{L}\p{N}_$]*\s*\.\s*["\p{L}_])/u

interface Place {
  readonly connection: DuckDBConnection
  readonly macros: ReadonlySet<string>
}

/** Refuses names that are not on the lists above. Returns whether the result is the same on every connection. */
export async function refuseWhatIsNotListed(statement: unknown, place: Place): Promise<boolean> {
  const unknown = new Map<string, Tree[]>()
  walk(statement, (node) => {
    if (node.type === 'BASE_TABLE') checkRelation(node)
    else if (node.type === 'SHOW_REF') checkSchema(node.catalog_name, node.schema_name, node.table_name)
    else if (node.type === 'TABLE_FUNCTION') checkTableFunction(treeOf(node.function), place.macros, unknown)
    else if (node.class === 'FUNCTION' || node.class === 'WINDOW') checkFunction(node)
  })
  for (const [name, given] of unknown) {
    // A name that is not a function of DuckDB must be a macro that is stored in the file.
    const found = await place.connection.runAndReadAll(
      'select count(*) from duckdb_functions() where function_name = $name and internal',
      { name },
    )
    if (found.getRows()[0]![0] !== 0n) throw notPossible(name)
    for (const child of given) checkArgument(child)
  }
  return unknown.size === 0
}

/** Refuses a name with another schema or database. Without a schema `f`, DuckDB reads `f` in `f.x` as a database. */
function checkSchema(catalog: unknown, schema: unknown, relation: unknown): void {
  const [ofCatalog, ofSchema, name] = [catalog, schema, relation].map((one) => lower(one ?? ''))
  if (ofCatalog !== '') throw qualified(ofCatalog!)
  if (ofSchema === '' || ofSchema === 'main') return
  if (ofSchema !== 'information_schema' || !INFORMATION_SCHEMA.has(name!)) throw qualified(ofSchema!)
}

function checkRelation({ catalog_name: catalog, schema_name: schema, table_name: table }: Tree): void {
  checkSchema(catalog, schema, table)
  const name = lower(table)
  const isSystem = /^(duckdb|pragma|pg|sqlite)_/.test(name)
  // DuckDB would read a name that looks like a path as a file.
  if (!PLAIN_NAME.test(name) || (isSystem && !CATALOG.includes(name))) throw notPossible(name)
}

function checkTableFunction(called: Tree, macros: ReadonlySet<string>, unknown: Map<string, Tree[]>): void {
  const name = lower(called.function_name)
  const children = listOf(called.children)
  if (name === 'query_table') for (const child of children) checkConstant(child)
  else if (BY_NAME.has(name))
    for (const [index, child] of children.entries()) {
      if (index > 0 && lower(child.alias) !== 'source') continue
      if (child.class !== 'COLUMN_REF' || listOf(child.column_names).length !== 1) checkConstant(child)
    }
  else if (macros.has(name)) for (const child of children) checkArgument(child)
  else if (!TABLE_FUNCTIONS.has(name)) unknown.set(name, [...(unknown.get(name) ?? []), ...children])
}

/** Checks an argument of a macro, because the argument may be the name of a relation. */
function checkArgument(argument: Tree): void {
  walk(argument, (node) => {
    // DuckDB never accepts a select as the name of a relation.
    if (node.class === 'SUBQUERY') return false
    if (node.class === 'CONSTANT') checkText(treeOf(node.value).value)
    else if (node.class === 'FUNCTION' && !IN_ARGUMENTS.has(lower(node.function_name)))
      throw notComputed(lower(node.function_name))
    else if (node.class === 'COLLATE' || node.class === 'LAMBDA' || node.type === 'ARRAY_EXTRACT')
      throw notComputed('this')
    return true
  })
}

/** Accepts only a string literal or a list of string literals. */
function checkConstant(argument: Tree): void {
  const isList = argument.class === 'FUNCTION' && lower(argument.function_name) === 'list_value'
  if (argument.class === 'CONSTANT') checkText(treeOf(argument.value).value)
  else if (isList) for (const child of listOf(argument.children)) checkConstant(child)
  else throw notComputed('this')
}

function checkText(value: unknown): void {
  if (typeof value !== 'string') return
  if (QUALIFIED.test(value) && !/^\s*main\s*\.\s*[\p{L}_][\p{L}\p{N}_$]*\s*$/iu.test(value))
    throw qualified(value)
  if (/^\s*(duckdb|pragma|pg|sqlite)_/i.test(value)) throw notPossible(value)
}

function checkFunction({ function_name: name, schema, catalog, children }: Tree): void {
  if (lower(catalog ?? '') !== '') throw qualified(lower(catalog))
  if (!['', 'main', 'pg_catalog'].includes(lower(schema ?? ''))) throw qualified(lower(schema))
  if (REFUSED_FUNCTIONS.has(lower(name))) throw notPossible(lower(name))
  if (lower(name) !== 'current_setting') return
  // Some other settings contain paths of this machine.
  const [setting] = listOf(children)
  if (!SETTINGS.has(lower(treeOf(setting?.value).value ?? ''))) throw notPossible('current_setting')
}

const SETTINGS: ReadonlySet<string> = new Set([
  ...['access_mode', 'enable_external_access', 'enable_logging', 'lock_configuration', 'max_memory'],
  ...['memory_limit', 'schema', 'search_path', 'threads', 'timezone'],
])

function notPossible(what: string): WarehouseError {
  return new WarehouseError(`\`${what}\` is not allowed here: it does more than read the warehouse.`, {
    next: 'Remove it.',
  })
}

function qualified(what: string): WarehouseError {
  return new WarehouseError(
    `\`${what}\` is not allowed here: only names in the schema \`main\` are allowed.`,
    {
      next: 'Use only the name of the relation, such as `incident_times`. Otherwise, the selection by --account would be lost.',
    },
  )
}

function notComputed(what: string): WarehouseError {
  return new WarehouseError(`\`${what}\` is not allowed in an argument that may name a relation.`, {
    next: "Write the name as a text, such as `of_incidents := 'incident_times'`.",
  })
}
