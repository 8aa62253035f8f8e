import { readFileSync } from 'node:fs'
import type { Settings } from '../../config/settings.ts'
import { inPackage } from '../../package-folder.ts'
import { resources } from '../../resources/index.ts'
import { type Relation, readSchema } from '../../warehouse/schema/schema.ts'

/** Made once for each configuration: it takes a warehouse in memory. */
const known = new WeakMap<Settings, Promise<readonly Relation[]>>()

/** The tables, views and metrics that SQL can name. */
export function relationsOf(settings: Settings): Promise<readonly Relation[]> {
  const found = known.get(settings) ?? readSchema(resources, settings)
  known.set(settings, found)
  return found
}

/** A question that SQL answers, and its query. */
export interface Question {
  readonly question: string
  readonly sql: string
}

/** The questions of `sql/README.md`. */
export function questionsOfSql(): Question[] {
  const guide = readFileSync(inPackage('sql/README.md'), 'utf8')
  return [...guide.matchAll(/([^\n]+)\n\n```sql[^\n]*\n([^`]+)\n```/g)].map(
    ([, question = '', sql = '']) => ({
      question,
      sql,
    }),
  )
}
