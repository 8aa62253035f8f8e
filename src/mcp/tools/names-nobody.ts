import { WarehouseError } from '../../errors.ts'
import { parserOn } from '../../warehouse/read/parser-on.ts'
import type { Session } from '../../warehouse/read/session.ts'
import { namesIn } from '../../warehouse/schema/names-in.ts'
import type { Relation } from '../../warehouse/schema/schema.ts'

/** Columns that say who: a relation with one of them is about people, or holds their names. */
const WHO = /^(person_id|person_name|member_id|member_name|(\w+_)?email|phone|payload)$/
/** Columns that are numbers of people, which nothing turns into names here, or hold what nobody documents. */
const NUMBERS = ['owner_id', 'closer_id', 'creator_id', 'assigned_to', '_extra']

/** Whether a column of a result is left out, since it says who. */
export const isWho = (column: string) => WHO.test(column) || NUMBERS.includes(column)

/** The relations that say who, by name. */
export function aboutPeople(relations: readonly Relation[]): ReadonlySet<string> {
  const who = relations.filter(({ columns }) =>
    columns.some(({ name, type }) => WHO.test(name) || (name === 'people' && type.endsWith('[]'))),
  )
  return new Set(who.map(({ name }) => name))
}

/**
 * Refuses a statement that could tell people apart: who has how many is a question of `incidents`, and no time, verdict or rank is of
 * a person. What it reads has to be known before it runs.
 * @throws WarehouseError
 */
export async function namesNobody(
  session: Session,
  sql: string,
  relations: readonly Relation[],
): Promise<void> {
  const [names] = await namesIn(parserOn(session), [{ sql }])
  if (!names || 'mistake' in names) {
    const reason = names?.mistake ?? 'it is empty'
    throw new WarehouseError(`One plain \`select\` is possible here: ${reason}.`, {
      next: 'Begin it with `select`, `with` or `from`; `describe` tells what a relation has.',
    })
  }
  if (names.isOpen)
    throw new WarehouseError(
      'What this statement reads is only known when it runs, which is not possible here.',
      {
        next: 'Name the relations; `list` with kind sql and `describe` tell what there is.',
      },
    )
  const about = aboutPeople(relations)
  const found = names.named.find(({ name }) => about.has(name))?.name
  const column = names.columns.find(({ column }) => isWho(column))?.column
  if (found === undefined && column === undefined) return
  throw new WarehouseError(`\`${found ?? column}\` is about people, which is not possible here.`, {
    next: 'Of a person there are counts only: `incidents` with `person`.',
  })
}
