/** A cell of a query result, with the same types as cells of the warehouse. */
export type Value = null | boolean | number | bigint | string | Date | Value[] | { [key: string]: Value }

/** A column of a query result. `type` is DuckDB’s name, and `unit` is set if the report declares one. */
export interface QueryColumn {
  name: string
  type: string
  unit?: 's'
}

/** The result of a named query, without helper columns. */
export interface QueryResult {
  name: string
  sql: string
  columns: readonly QueryColumn[]
  rows: readonly (readonly Value[])[]
}
