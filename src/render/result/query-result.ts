/** One value of a query's result; the same shapes as the warehouse's cells. */
export type Value = null | boolean | number | bigint | string | Date | Value[] | { [key: string]: Value }

/** A column of a query's result; `type` is DuckDB's name, `unit` that of its numbers where the report says one. */
export interface QueryColumn {
  name: string
  type: string
  unit?: 's'
}

/** The result of one named query; what only stands behind its figures is left out. */
export interface QueryResult {
  name: string
  sql: string
  columns: readonly QueryColumn[]
  rows: readonly (readonly Value[])[]
}
