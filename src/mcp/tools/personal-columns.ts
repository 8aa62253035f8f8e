import type { Reach } from '../../warehouse/read/reach.ts'
import type { Relation } from '../../warehouse/schema/schema.ts'

/** Matches columns that identify a person. Relations with such a column are about people. */
const WHO = /^(person_id|person_name|member_id|member_name|(\w+_)?email|phone|payload|who)$/
/** Undocumented fields, and ids of people that no readable relation resolves to names. */
const NUMBERS = ['owner_id', 'closer_id', 'creator_id', 'assigned_to', '_extra']
/** Relations that might contain names of people, or that are useless for answers. */
const OTHERS = ['config_automation', 'faultline_meta']

/** Checks whether a column identifies a person and is therefore hidden. */
export const isWho = (column: string) => WHO.test(column) || NUMBERS.includes(column)

export function aboutPeople(relations: readonly Relation[]): ReadonlySet<string> {
  const who = relations.filter(({ columns }) =>
    columns.some(({ name, type }) => WHO.test(name) || (name === 'people' && type.endsWith('[]'))),
  )
  return new Set([...who.map(({ name }) => name), ...OTHERS])
}

/**
 * Returns everything that an assistant’s SQL can read. This excludes relations about people and columns that identify a
 * person. About individuals, assistants only get counts, from the tool `incidents`.
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
          isMacro: kind.endsWith('macro'),
          columns: columns.map((one) => one.name).filter((one) => !isWho(one)),
        },
      ]),
    ),
  }
}
