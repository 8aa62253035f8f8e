import { name } from '../warehouse/quote.ts'
import type { Session } from '../warehouse/read/session.ts'
import type { BlockSource } from './parse/block-source.ts'
import type { Report } from './parse/parse.ts'

/** Without what is about something that is not configured: its `configured` names a relation that has no rows. Nothing of it is asked or said. */
export async function onlyConfigured(report: Report, session: Session): Promise<Report> {
  const asked = new Set(report.pieces.flatMap((piece) => (isAbout(piece) ? [piece.body.configured] : [])))
  const none = new Set<string>()
  for (const relation of asked) {
    const { rows } = await session.query(`select 1 from ${name(relation)} limit 1`)
    if (rows.length === 0) none.add(relation)
  }
  const isLeft = (piece: Report['pieces'][number]) => !isAbout(piece) || !none.has(piece.body.configured)
  const gone = new Set(
    report.pieces.flatMap((piece) => (isAbout(piece) && !isLeft(piece) ? [piece.body.data] : [])),
  )
  return {
    ...report,
    pieces: report.pieces.filter(isLeft),
    queries: report.queries.filter((query) => !gone.has(query.name)),
  }
}

function isAbout(piece: Report['pieces'][number]): piece is Extract<BlockSource, { kind: 'table' }> & {
  body: { configured: string }
} {
  return piece.kind === 'table' && piece.body.configured !== null
}
