import type { Session } from '../warehouse/read/session.ts'
import { namesIn } from '../warehouse/schema/names-in.ts'

/** The names of what these queries read; one that cannot be parsed reads nothing. */
export async function namesRead(session: Session, texts: readonly string[]): Promise<Set<string>> {
  const parser = {
    async runAndReadAll(text: string) {
      const { rows } = await session.query(text)
      return { getRows: () => rows }
    },
  }
  const found = await namesIn(
    parser,
    texts.map((sql) => ({ sql })),
  )
  return new Set(found.flatMap((one) => ('named' in one ? one.named.map(({ name }) => name) : [])))
}
