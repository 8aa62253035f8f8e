import type { Parser } from '../../definitions/parse-tree.ts'
import type { Session } from './session.ts'

export function parserOn(session: Pick<Session, 'query'>): Parser {
  return {
    async runAndReadAll(sql) {
      const { rows } = await session.query(sql)
      return { getRows: () => rows }
    },
  }
}
