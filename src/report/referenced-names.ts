import { namesIn } from '../definitions/sql-references.ts'
import type { Session } from '../warehouse/read/session.ts'
import { parserOn } from '../warehouse/read/session-parser.ts'

/** Returns the tables, views and macros that queries read. Skips queries with syntax errors. */
export async function namesRead(session: Pick<Session, 'query'>, texts: readonly string[]) {
  const queries = texts.map((sql) => ({ sql }))
  const found = await namesIn(parserOn(session), queries)
  return new Set(found.flatMap((one) => ('named' in one ? one.named.map(({ name }) => name) : [])))
}
