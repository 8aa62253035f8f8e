import { readFileSync } from 'node:fs'
import { inPackage } from '../../package-path.ts'
import { resources } from '../../resources/index.ts'
import type { Settings } from '../../settings/settings.ts'
import { type Relation, readSchema } from '../../warehouse/schema/schema.ts'
import { aboutPeople } from './personal-columns.ts'

/** Cache of the relations for each settings object. Reading them is slow, because it creates a warehouse in memory. */
const known = new WeakMap<Settings, Promise<readonly Relation[]>>()

export function relationsOf(settings: Settings): Promise<readonly Relation[]> {
  const found = known.get(settings) ?? readSchema(resources, settings)
  known.set(settings, found)
  return found
}

/** Questions come from metric views and `sql/README.md`. Questions about people are omitted. */
export async function questionsOfSql(settings: Settings): Promise<{ question: string; sql: string }[]> {
  const relations = await relationsOf(settings)
  const about = aboutPeople(relations)
  const guide = readFileSync(inPackage('sql/README.md'), 'utf8')
  const written = guide.matchAll(/([^\n]+)\n\n```sql[^\n]*\n([^`]+)\n```/g)
  return [
    ...relations.flatMap(({ name, question }) =>
      question && !about.has(name) ? [{ question, sql: `from ${name}` }] : [],
    ),
    ...Array.from(written, ([, question = '', sql = '']) => ({ question, sql })).filter(
      ({ sql }) => !sql.split(/\W+/).some((word) => about.has(word)),
    ),
  ]
}
