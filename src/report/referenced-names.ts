import { namesIn } from '../definitions/sql-references.ts'
import type { Session } from '../warehouse/read/session.ts'
import { parserOn } from '../warehouse/read/session-parser.ts'

/** Returns the names that these queries read. Unparsable queries add none. */
export async function namesRead(
  session: Pick<Session, 'query'>,
  texts: readonly string[],
): Promise<Set<string>> {
  const found = await namesIn(
    parserOn(session),
    texts.map((sql) => ({ sql })),
  )
  return new Set(found.flatMap((one) => ('named' in one ? one.named.map(({ name }) => name) : [])))
}
