import type { Reach } from '../../warehouse/read/reach.ts'
import type { Relation } from '../../warehouse/schema/schema.ts'

/** Columns that identify a person. Relations with such a column are about people. */
const WHO = /^(person_id|person_name|member_id|member_name|(\w+_)?email|phone|payload|who)$/
/** Ids of people, which no readable relation resolves to names, and undocumented fields. */
const NUMBERS = ['owner_id', 'closer_id', 'creator_id', 'assigned_to', '_extra']
/** Relations whose values may contain names of people, or that answer no question. */
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
 * Returns everything that an assistant’s SQL may read. Relations about people and columns that identify a person are
 * excluded, because assistants get only counts for individuals, from the tool `incidents`.
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
