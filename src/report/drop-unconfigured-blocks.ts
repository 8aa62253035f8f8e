import { quoteIdentifier, quoteLiteral } from '../definitions/quote.ts'
import type { Session } from '../warehouse/read/session.ts'
import type { Report } from './parse/parse.ts'

/** Removes tables whose `configured` relation or row does not exist, and `compare` blocks if there are no events. */
export async function onlyConfigured(report: Report, session: Session): Promise<Report> {
  let { pieces, queries } = report
  for (const relation of new Set(pieces.flatMap((piece) => aboutOf(piece)?.relation ?? []))) {
    const [table = '', name] = relation.split('.')
    const where = name === undefined ? '' : ` where name = ${quoteLiteral(name)}`
    const { rows } = await session.query(`select 1 from ${quoteIdentifier(table)}${where} limit 1`)
    if (rows.length > 0) continue
    const unused = pieces.flatMap((piece) => aboutOf(piece) ?? []).filter((one) => one.relation === relation)
    pieces = pieces.filter((piece) => aboutOf(piece)?.relation !== relation)
    queries = queries.filter(({ name }) => !unused.some(({ data }) => data === name))
  }
  return { ...report, pieces, queries }
}

function aboutOf(piece: Report['pieces'][number]): { relation: string; data: string } | undefined {
  if (piece.kind === 'compare') return { relation: 'config_events', data: piece.data }
  if (piece.kind !== 'table' || piece.body.configured === null) return undefined
  return { relation: piece.body.configured, data: piece.body.data }
}
