import type { Reach } from '../../warehouse/read/reach.ts'
import type { Relation } from '../../warehouse/schema/schema.ts'

/** Matches columns that identify a person. Assistants cannot read a relation with such a column. */
const WHO = /^(person_id|person_name|member_id|member_name|(\w+_)?email|phone|payload|who)$/
/** Other columns that assistants cannot read: ids of people, and fields that the service does not document. */
const NUMBERS = ['owner_id', 'closer_id', 'creator_id', 'assigned_to', '_extra']
/** Other relations that assistants cannot read. `config_automation` might contain names of people. */
const OTHERS = ['config_automation', 'faultline_meta']

/** Whether a column is hidden from assistants because it might identify a person. */
export const isWho = (column: string) => WHO.test(column) || NUMBERS.includes(column)

export function aboutPeople(relations: readonly Relation[]): ReadonlySet<string> {
  const who = relations.filter(({ columns }) =>
    columns.some(({ name, type }) => WHO.test(name) || (name === 'people' && type.endsWith('[]'))),
  )
  return new Set([...who.map(({ name }) => name), ...OTHERS])
}

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
