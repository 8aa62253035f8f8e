import type { DuckDBConnection } from '@duckdb/node-api'
import { beforeAll } from 'vitest'
import { applyViews } from '../../src/definitions/views.ts'
import { createTables, rowsOf } from '../support/tables.ts'

/**
 * Creates empty tables and the definitions of `sql/`, once before the tests of a file. Returns functions that query
 * them.
 */
export function defined() {
  const made: { connection?: DuckDBConnection } = {}
  beforeAll(async () => {
    made.connection = await createTables()
    await applyViews(made.connection)
  })
  const rows = (query: string) => rowsOf(made.connection!, query)
  const one = async (query: string) => (await rows(query))[0]!
  return {
    connection: () => made.connection!,
    rows,
    one,
    value: async (expression: string) => (await one(`select ${expression} as value`)).value,
  }
}
