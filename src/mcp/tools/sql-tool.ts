import { z } from 'zod'
import type { Piece } from '../../warehouse/read/rows.ts'
import type { StatementProcess } from '../../warehouse/worker/statement-process.ts'
import type { Tool } from '../tool.ts'
import { dataCell, wrapUntrusted } from '../untrusted-text.ts'
import { reachOf } from './personal-columns.ts'
import { relationsOf } from './relations.ts'

export const ROWS_MOST = 200

const input = z.strictObject({
  sql: z
    .string()
    .min(1)
    .max(20_000)
    .describe('One `select` for DuckDB, over the relations from `list` with kind sql and `describe`.'),
})

/** A separate process runs the statement. */
export function sqlTool(statements: StatementProcess): Tool<typeof input> {
  return {
    name: 'sql',
    title: 'Read-only SQL',
    description: `Runs one read-only DuckDB statement, for questions that no metric answers. Returns at most ${ROWS_MOST} rows. The result has no rule and no receipt: say so, and use \`figure\` if there is a metric.`,
    input,
    async answer({ ground, signal, timeoutMs }, { sql }) {
      const { warehouse, settings, memoryLimit, warn } = ground
      const reach = reachOf(await relationsOf(settings))
      const statement = { warehouse: warehouse.location, settings, memoryLimit, sql, reach }
      return await firstRows(statements.stream(statement, { signal, timeoutMs, ...(warn && { warn }) }))
    },
  }
}

async function firstRows(pieces: AsyncIterable<Piece>) {
  const rows: Piece['rows'][number][] = []
  let columns: Piece['columns'] = []
  for await (const piece of pieces) {
    columns = piece.columns
    rows.push(...piece.rows)
    if (rows.length > ROWS_MOST) break
  }
  return {
    // A column name can be data, because `pivot` turns values into column names.
    columns: columns.map(({ name }) => (/^[a-z_]\w{0,60}$/i.test(name) ? name : wrapUntrusted(name))),
    rows: rows.slice(0, ROWS_MOST).map((row) => row.map(dataCell)),
    ...(rows.length > ROWS_MOST && { more: `More rows exist. These are the first ${ROWS_MOST}.` }),
  }
}
