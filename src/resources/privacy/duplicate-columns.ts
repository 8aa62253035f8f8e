import type { Resource } from '../resource.ts'
import { isKind, isPersonName } from './personal-data-kinds.ts'

/** Columns without a rule that contain the same data as a column with a rule. */
interface Twins {
  /** Whether a rule names a column of people's names, but no rule covers the same names in other columns and in JSON. */
  readonly names: boolean
  /** For each other rule about a column `…_name`, the columns of the same name in other tables, which have no rule. */
  readonly columns: readonly { readonly rule: string; readonly others: readonly string[] }[]
}

/** Finds columns without a rule. @param rules valid rules under `drop` and `hash` */
export function twinsOf(rules: readonly string[], known: readonly Resource[]): Twins {
  const named = rules.filter((rule) => !isKind(rule))
  const columns = known.flatMap((resource) =>
    [resource, ...resource.children].flatMap(({ table, columns: list }) =>
      list.map(({ name }) => ({ table, name })),
    ),
  )
  const fieldOf = (rule: string) => rule.split('.').at(-1) ?? ''
  return {
    names: !rules.includes('name') && named.some((rule) => isPersonName(fieldOf(rule))),
    columns: named
      .filter((rule) => !isPersonName(fieldOf(rule)) && fieldOf(rule).endsWith('_name'))
      .map((rule) => ({
        rule,
        others: columns
          .filter(({ table, name }) => name === fieldOf(rule) && !named.includes(`${table}.${name}`))
          .map(({ table, name }) => `${table}.${name}`),
      }))
      .filter(({ others }) => others.length > 0),
  }
}
