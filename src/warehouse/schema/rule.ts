import { type Choices, filled } from './choices.ts'
import type { ViewFile } from './view-file.ts'

/** A sentence behind figures, from the head of a file of `sql/`. */
export interface Rule {
  /** The columns whose figures it is behind (of a macro that is an expression: functions like it); none where it is all of it. */
  readonly of: readonly string[]
  /** It holds where the configuration has chosen so. */
  readonly when: { readonly policy: string; readonly value: string } | null
  /** The relation, or `relation.column`, whose rules hold here too; then `term` and `text` are empty. */
  readonly see: string | null
  readonly term: string
  readonly text: string
}

const form =
  /^rule(?: of ([a-z_0-9, ]+?))?(?: when ([a-z_]+) is ([a-z_]+))?: (?:see ([a-z_][a-z0-9_.]*)|([^:]+): (.+))$/

/**
 * Reads `rule: Term: sentence`, `rule of a, b: see other.column` or `rule when ack is exclude: Term: sentence`; null where it
 * is none of them.
 */
export function parseRule(line: string): Rule | null {
  const [found, of, policy, value, see = null, term = '', text = ''] = form.exec(line) ?? []
  if (found === undefined) return null
  return {
    of: of?.split(',').map((one) => one.trim()) ?? [],
    when: policy && value ? { policy, value } : null,
    see,
    term,
    text,
  }
}

/** What rules are looked up in, by name. */
export type Library = ReadonlyMap<string, Pick<ViewFile, 'kind' | 'rules'>>

/**
 * The rules of a relation, or of a column of it, that hold by these choices, with limits filled in; those that they refer to
 * with them.
 */
export function rulesOf(
  library: Library,
  name: string,
  column: string | null,
  choices: Choices,
): { term: string; text: string }[] {
  const own = library.get(name)?.rules.filter(({ of, when }) => {
    const isOfIt = column === null ? of.length === 0 : of.includes(column)
    return isOfIt && (when === null || choices.policies.get(when.policy) === when.value)
  })
  return (own ?? []).flatMap(({ see, term, text }) => {
    if (see === null) return [{ term, text: filled(text, choices) }]
    const [other = '', part = null] = see.split('.')
    return rulesOf(library, other, part, choices)
  })
}

/** What a comment says: a meaning, and the rules behind it. */
export function withRules(meaning: string, rules: readonly { term: string; text: string }[]): string {
  const sentences = rules.map(({ term, text }) => `Rule: ${term}: ${text}`)
  return sentences.length === 0 ? meaning : [meaning.replace(/[^.]$/, '$&.'), ...sentences].join(' ')
}

/** The comment of each relation and column of these files, as they are to be shown: limits and rules in words. */
export function commented(files: readonly ViewFile[], choices: Choices): ViewFile[] {
  const library = new Map(files.map((file) => [file.name, file]))
  return files.map((file) => {
    const said = (meaning: string, column: string | null) =>
      withRules(filled(meaning, choices), rulesOf(library, file.name, column, choices))
    const columns = [...file.columns].map(([column, meaning]) => [column, said(meaning, column)] as const)
    return { ...file, comment: said(file.comment, null), columns: new Map(columns) }
  })
}
