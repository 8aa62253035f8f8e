import type { Resource } from '../resource.ts'
import { isKind, isPersonName } from './personal-data-kinds.ts'

/** Columns that have no privacy rule, although another column with the same data has one. */
interface Twins {
  /** Whether a rule covers a column with people's names, but other columns with people's names have no rule. */
  readonly names: boolean
  /** For each rule about another column `…_name`: the columns of other tables with this name, but without a rule. */
  readonly columns: readonly { readonly rule: string; readonly others: readonly string[] }[]
}

/** Finds columns that repeat the data of a column with a rule. @param rules valid rules under `drop` and `hash` */
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
