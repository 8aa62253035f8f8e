import { ReportError, unknownName, WarehouseError } from '../../errors.ts'
import { firstLineOf } from '../../external-errors.ts'
import type { Session } from '../../warehouse/read/session.ts'
import type { Tell } from '../parse/report-errors.ts'
import type { SqlPart } from './metric-blocks.ts'

/** Checks the SQL expressions of metric blocks, and reports each mistake. @returns whether there is a mistake */
export async function isWrong(session: Session, parts: readonly SqlPart[], tell: Tell): Promise<boolean> {
  let wrong = false
  for (const part of parts) {
    try {
      await session.query(`select (\n${part.sql}\n) as value from (${part.rows}) limit 0`)
    } catch (cause) {
      if (!(cause instanceof WarehouseError)) throw cause
      tell(await mistakeOf(session, part, cause))
      wrong = true
    }
  }
  return wrong
}

async function mistakeOf(session: Session, { sql, rows, at }: SqlPart, cause: WarehouseError) {
  const { column, hint } = cause.statement
  if (column === undefined) {
    const message = `"${sql}" is invalid: ${firstLineOf(cause)}`
    return new ReportError(message, at, { cause, next: cause.next ?? hint })
  }
  const { columns } = await session.query(`select * from (${rows}) limit 0`)
  const known = columns.map(({ name }) => name)
  const isText = /^[A-Z]/.test(column)
  const next = isText ? `Put text in quotes, such as '${column}'.` : unknownName(column, known)
  return new ReportError(`Unknown column "${column}" in "${sql}".`, at, { cause, next })
}
