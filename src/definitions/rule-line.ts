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
