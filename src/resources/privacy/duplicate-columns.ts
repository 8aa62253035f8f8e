import type { Resource } from '../resource.ts'
import { isKind, isPersonName } from './personal-data-kinds.ts'

/** What holds the same fact as a column that a rule names, and has no rule. */
interface Twins {
  /** A column of people's names has a rule, and the kind has none: other columns, and fields inside of JSON, hold the same names. */
  readonly names: boolean
  /** Of each other rule, the columns called alike in other tables. */
  readonly columns: readonly { readonly rule: string; readonly others: readonly string[] }[]
}

/** Facts that several tables repeat, by the name of the column; addresses are found wherever they stand, see `addressColumns`. */
const REPEATED = /(_name)$/

/** @param rules those under `drop` and `hash`, of which each is valid */
export function twinsOf(rules: readonly string[], known: readonly Resource[]): Twins {
  const named = rules.filter((rule) => !isKind(rule))
  const columns = known.flatMap((resource) => [
    ...resource.columns.map(({ name }) => ({ table: resource.table, name })),
    ...resource.children.flatMap(({ table, columns: list }) => list.map(({ name }) => ({ table, name }))),
  ])
  const fieldOf = (rule: string) => rule.split('.').at(-1) ?? ''
  return {
    names: !rules.includes('name') && named.some((rule) => isPersonName(fieldOf(rule))),
    columns: named
      .filter((rule) => !isPersonName(fieldOf(rule)) && REPEATED.test(fieldOf(rule)))
      .map((rule) => ({
        rule,
        others: columns
          .filter(({ table, name }) => name === fieldOf(rule) && !named.includes(`${table}.${name}`))
          .map(({ table, name }) => `${table}.${name}`),
      }))
      .filter(({ others }) => others.length > 0),
  }
}
