import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'
import { WarehouseError } from '../../errors.ts'
import { says } from '../../foreign-errors.ts'
import { StatementType } from '../duckdb.ts'

/**
 * Refuses what a statement may not do where it is asked.
 * @param tree the statement as DuckDB's parser serializes it: it alone knows what is a name, a text or a comment
 * @throws WarehouseError that names what is not possible
 */
type Guard = (tree: string) => void

/** A connection that is asked only what reads. */
export interface Guarded {
  readonly connection: DuckDBConnection
  /** What is refused besides. Where there is one, only what the parser's tree shows is compiled. */
  readonly guard: Guard | undefined
}

/**
 * Functions that a `select` may call although they change the process, take any address of its memory, or run a text that
 * is put together first: locking the configuration does not keep them away.
 */
const FORBIDDEN = new Set([
  ...['enable_logging', 'disable_logging', 'truncate_duckdb_logs', 'write_log'],
  ...['enable_profiling', 'disable_profiling', 'enable_profile', 'disable_profile'],
  ...['checkpoint', 'force_checkpoint', 'sleep_ms', 'query', 'json_execute_serialized_sql'],
  ...['arrow_scan', 'arrow_scan_dumb', 'seq_scan'],
])

/** Texts of which DuckDB's parser has said that they are one `select` that only reads: reports ask the same again and again. */
const plain = new Set<string>()
const PLAIN_MOST = 1_000

/**
 * Asks DuckDB's own parser which functions a text calls. What is no `select` it leaves out.
 * @returns whether the text is one `select`
 * @throws WarehouseError when one of them does more than read
 */
export async function isOneSelect({ connection, guard }: Guarded, sql: string): Promise<boolean> {
  if (!guard && plain.has(sql)) return true
  const found = await connection.runAndReadAll('select json_serialize_sql($sql::varchar)', { sql })
  const tree = String(found.getRows()[0]![0])
  const named = tree.matchAll(/"function_name":"([^"]*)"/g)
  const forbidden = [...named].map(([, name]) => name!.toLowerCase()).find((name) => FORBIDDEN.has(name))
  if (forbidden !== undefined) {
    throw new WarehouseError(`\`${forbidden}\` is not possible here: it does more than read the warehouse.`, {
      next: 'Leave it out.',
    })
  }
  guard?.(tree)
  const isPlain = JSON.parse(tree).statements?.length === 1
  if (plain.size >= PLAIN_MOST) plain.clear()
  if (isPlain) plain.add(sql)
  return isPlain
}

/** Compiles `sql`. @throws WarehouseError when it is not one statement that reads */
export async function compiled(on: Guarded, sql: string): Promise<DuckDBPreparedStatement> {
  const isPlain = await isOneSelect(on, sql)
  const statements = await on.connection.extractStatements(sql)
  // To compile a function may be to connect to a server: only what the parser's tree shows is compiled.
  if (on.guard && !isPlain) await compiled(on, explained(sql))
  const last = statements.count - 1
  // It is a list of values that DuckDB makes a type of first.
  const isPivot =
    last > 0 && /pivot/i.test(sql) && says(await failureOf(statements.prepare(last)), 'pivotFirst')
  if (isPivot) {
    throw new WarehouseError(
      '`pivot` has to find out its columns in a statement of its own, and only one is possible here.',
      {
        next: "Name the values that become columns: pivot incidents on incident_severity in ('Critical', 'Warning') using count(*).",
      },
    )
  }
  if (statements.count !== 1) {
    throw new WarehouseError(`One statement is expected here, and this text holds ${statements.count}.`, {
      next: 'Split it, or remove what follows the first semicolon.',
    })
  }
  const statement = await statements.prepare(0)
  if (statement.statementType === StatementType.EXPLAIN) await compiled(on, explained(sql))
  else if (statement.statementType !== StatementType.SELECT) throw notReading()
  return statement
}

/**
 * The same, and it gives so many rows at most: DuckDB makes a result whole, in memory that no limit bounds.
 * @throws WarehouseError when it is not one statement that reads
 */
export async function compiledAtMost(
  rows: number,
  on: Guarded,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  if (await isOneSelect(on, sql)) {
    const text = `from (${withoutEnd(sql)}\n) limit ${rows}`
    // Its errors speak of the author's own lines when it is compiled alone.
    const statement = await on.connection.prepare(text).catch(() => undefined)
    const names = Array.from({ length: statement?.columnCount ?? 0 }, (_, index) =>
      statement!.columnName(index),
    )
    // Of columns with one name all but the first would get a number.
    if (statement && !names.some((name) => /_\d+$/.test(name))) return statement
    statement?.destroySync()
  }
  return compiled(on, sql)
}

/** A statement without what ends it, to be put into another. */
export function withoutEnd(sql: string): string {
  return sql.replace(/[\s;]+$/, '')
}

/** Why it fails; undefined when it does not. */
async function failureOf(act: Promise<unknown>): Promise<unknown> {
  return act.then(
    () => undefined,
    (error: unknown) => error,
  )
}

/**
 * What is to be explained: with `analyze` it is also run, and DuckDB lets `copy` write to the very file that is open.
 * Only comments to the end of a line are passed over; where others end is not for an expression to say.
 */
function explained(sql: string): string {
  const found =
    /^(?:\s|--[^\n]*\n)*explain(?:\s+analyze\b|\s*\(\s*(?:analyze|format)\b[\w\s,]*\)|(?=[\s(]))(.*)$/is.exec(
      sql,
    )
  const rest = found?.[1]
  if (rest === undefined) throw notReading()
  return rest
}

function notReading(): WarehouseError {
  return new WarehouseError('Only statements that read are possible here.', {
    next: 'Begin the query with `select`, `with` or `from`.',
  })
}
