import { createHash } from 'node:crypto'
import { jsonOf } from '../render/format.ts'
import type { Session } from '../warehouse/read/session.ts'
import { cardsOf, type Query, type Report } from './parse/parse.ts'
import { frameNames, frameSql } from './scope/frame-sql.ts'

/** Hashes queries, settings and SQL definitions. If the hash changes, the same data can give other figures. */
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
