import { createHash } from 'node:crypto'
import { jsonOf } from '../render/format.ts'
import type { Session } from '../warehouse/read/session.ts'
import { cardsOf, type Query, type Report } from './parse/parse.ts'
import { frameNames, frameSql } from './scope/frame-sql.ts'

/**
 * Returns a hash of a report’s queries, settings and SQL definitions. If it changes, figures can differ for the same
 * data.
 */
export async function definitionKey(
  session: Session,
  report: Pick<Report, 'pieces'> & { readonly queries: readonly Pick<Query, 'name' | 'sql'>[] },
): Promise<string> {
  const chosen = await session.query(frameSql('settings'))
  const parts = [
    ...report.queries.map(({ name, sql }) => `${name}: ${sql}`),
    ...cardsOf(report).map(({ card }) => JSON.stringify(card.value)),
    ...frameNames().map(frameSql),
    ...session.definitions.map(({ body }) => body),
    ...chosen.rows,
  ]
  return createHash('sha256').update(jsonOf(parts)).digest('hex').slice(0, 12)
}
