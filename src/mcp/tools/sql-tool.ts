import { z } from 'zod'
import type { Piece } from '../../warehouse/read/rows.ts'
import type { Session } from '../../warehouse/read/session.ts'
import { data, dataCell } from '../data-text.ts'
import { asking, type Tool } from '../tool.ts'
import { isWho, namesNobody } from './names-nobody.ts'
import { relationsOf } from './relations.ts'

/** Rows that are answered. */
export const ROWS_MOST = 200

const input = z.strictObject({
  sql: z
    .string()
    .min(1)
    .max(20_000)
    .describe('One `select` of DuckDB over the relations that `list` with kind sql and `describe` tell.'),
})

/** One reading statement over the views and metrics of `sql/`. */
export const sqlTool: Tool<typeof input> = {
  name: 'sql',
  title: 'One reading statement',
  description: `One reading statement of DuckDB, for what no metric answers; at most ${ROWS_MOST} rows come back. What it computes has no rule and no receipt: say so, and take \`figure\` where there is a metric.`,
  input,
  answer: (call, { sql }) =>
    asking(
      call,
      async (session) => {
        await namesNobody(session, sql, await relationsOf(call.ground.settings))
        return await firstRows(session, sql)
      },
      { constantsLate: true },
    ),
}

async function firstRows(session: Session, sql: string) {
  const rows: (readonly unknown[])[] = []
  let columns: Piece['columns'] = []
  for await (const piece of session.stream(sql)) {
    columns = piece.columns
    rows.push(...piece.rows)
    if (rows.length > ROWS_MOST) break
  }
  const shown = columns.map(({ name }, index) => ({ name, index })).filter(({ name }) => !isWho(name))
  return {
    // A pivot makes names of values.
    columns: shown.map(({ name }) => (/^[a-z_]\w{0,60}$/i.test(name) ? name : data(name))),
    rows: rows.slice(0, ROWS_MOST).map((row) => shown.map(({ index }) => dataCell(row[index] as never))),
    ...(rows.length > ROWS_MOST && { more: `There are more rows: these are the first ${ROWS_MOST}.` }),
  }
}
