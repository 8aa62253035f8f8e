import type { Reach } from '../../warehouse/read/reach.ts'
import type { Relation } from '../../warehouse/schema/schema.ts'

/** Columns that say who: a relation with one of them is about people, or holds their names. */
const WHO = /^(person_id|person_name|member_id|member_name|(\w+_)?email|phone|payload|who)$/
/** Columns that are numbers of people, which nothing turns into names here, or hold what nobody documents. */
const NUMBERS = ['owner_id', 'closer_id', 'creator_id', 'assigned_to', '_extra']
/** Relations whose values may be names of people, or of nothing that a question is about. */
const OTHERS = ['config_automation', 'faultline_meta']

/** Whether a column is left out, since it says who. */
export const isWho = (column: string) => WHO.test(column) || NUMBERS.includes(column)

/** The relations that say who, by name. */
export function aboutPeople(relations: readonly Relation[]): ReadonlySet<string> {
  const who = relations.filter(({ columns }) =>
    columns.some(({ name, type }) => WHO.test(name) || (name === 'people' && type.endsWith('[]'))),
  )
  return new Set([...who.map(({ name }) => name), ...OTHERS])
}

/**
 * Returns all that SQL of an assistant may read. How many a person has is a question of `incidents`, and no time, verdict or rank is of
 * a person: so relations about people are not there, nor columns that say who.
 */
export function reachOf(relations: readonly Relation[]): Reach {
  const refused = aboutPeople(relations)
  const readable = relations.filter(({ name, kind }) => kind !== 'macro' && !refused.has(name))
  return {
    refused,
    relations: new Map(
      readable.map(({ name, kind, columns }) => [
        name.toLowerCase(),
        {
          isMacro: kind === 'table macro',
          columns: columns.map((one) => one.name).filter((one) => !isWho(one)),
        },
      ]),
    ),
  }
}
