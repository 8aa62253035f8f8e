import { quoteIdentifier, quoteLiteral } from '../definitions/quote.ts'
import type { Session } from '../warehouse/read/session.ts'
import type { Report } from './parse/parse.ts'

/**
 * Removes tables whose `configured` relation (or row with that name, as in `config_thresholds.hourly_cost`) is empty.
 * Removes `compare` blocks if no events are configured.
 */
export async function onlyConfigured(report: Report, session: Session): Promise<Report> {
  const asked = new Set(report.pieces.flatMap((piece) => aboutOf(piece)?.relation ?? []))
  const none = new Set<string>()
  for (const relation of asked) {
    const [table = '', name] = relation.split('.')
    const where = name === undefined ? '' : ` where name = ${quoteLiteral(name)}`
    const { rows } = await session.query(`select 1 from ${quoteIdentifier(table)}${where} limit 1`)
    if (rows.length === 0) none.add(relation)
  }
  const isGone = (piece: Report['pieces'][number]) => none.has(aboutOf(piece)?.relation ?? '')
  const gone = new Set(report.pieces.filter(isGone).flatMap((piece) => aboutOf(piece)?.data ?? []))
  return {
    ...report,
    pieces: report.pieces.filter((piece) => !isGone(piece)),
    queries: report.queries.filter((query) => !gone.has(query.name)),
  }
}

function aboutOf(piece: Report['pieces'][number]): { relation: string; data: string } | undefined {
  if (piece.kind === 'compare') return { relation: 'config_events', data: piece.data }
  if (piece.kind !== 'table' || piece.body.configured === null) return undefined
  return { relation: piece.body.configured, data: piece.body.data }
}
