import type { DuckDBPreparedStatement } from '@duckdb/node-api'
import { DuckDBTimestampTZValue, LIST, listValue, VARCHAR } from '../../definitions/duckdb.ts'
import { quoteLiteral } from '../../definitions/quote.ts'
import { WarehouseError } from '../../errors.ts'

/** A value for a parameter. A `Date` becomes a TIMESTAMPTZ, and a list becomes a VARCHAR[]. */
type QueryParameter = null | boolean | number | bigint | string | Date | readonly string[]
export type QueryParameters = Readonly<Record<string, QueryParameter>>

/** Binds the values to a statement by name. @throws WarehouseError if a value is missing */
export function bind(statement: DuckDBPreparedStatement, parameters: QueryParameters): void {
  for (let index = 1; index <= statement.parameterCount; index++) {
    const name = statement.parameterName(index)
    if (!Object.hasOwn(parameters, name)) {
      const known = Object.keys(parameters).map((each) => `$${each}`)
      throw new WarehouseError(`The query uses $${name}, which is not a parameter.`, {
        next: known.length ? `Available: ${known.join(', ')}.` : 'This query takes no parameters.',
      })
    }
    bindOne(statement, index, parameters[name] as QueryParameter)
  }
}

function bindOne(statement: DuckDBPreparedStatement, index: number, value: QueryParameter): void {
  if (value === null) statement.bindNull(index)
  else if (typeof value === 'boolean') statement.bindBoolean(index, value)
  else if (typeof value === 'number') statement.bindDouble(index, value)
  else if (typeof value === 'bigint') statement.bindBigInt(index, value)
  else if (typeof value === 'string') statement.bindVarchar(index, value)
  else if (value instanceof Date) {
    statement.bindTimestampTZ(index, new DuckDBTimestampTZValue(BigInt(value.getTime()) * 1000n))
  } else statement.bindList(index, listValue([...value]), LIST(VARCHAR))
}

/** Inserts values as literals for statements without parameters. Use only for SQL of this program. */
export function insertValues(sql: string, parameters: QueryParameters): string {
  return sql.replace(/\$(\w+)/g, (text, name: string) =>
    Object.hasOwn(parameters, name) ? literalOf(parameters[name]!) : text,
  )
}

function literalOf(value: QueryParameter): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return `${value}::double`
  if (typeof value === 'string') return `${quoteLiteral(value)}::varchar`
  if (value instanceof Date) return `'${value.toISOString()}'::timestamptz`
  return `[${value.map(quoteLiteral).join(', ')}]::varchar[]`
}
