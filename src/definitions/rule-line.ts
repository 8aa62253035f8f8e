/** One rule sentence from the comment header of a file in `sql/`. */
export interface Rule {
  /** The columns or functions to which the rule applies. Empty if it applies to the whole relation. */
  readonly of: readonly string[]
  /** The rule applies only while this policy has this value. Null if the rule always applies. */
  readonly when: { readonly policy: string; readonly value: string } | null
  /** A relation or `relation.column` whose rules apply here, too. `term` and `text` are then empty. Otherwise null. */
  readonly see: string | null
  readonly term: string
  readonly text: string
}

const form =
  /^rule(?: of ([a-z_0-9, ]+?))?(?: when ([a-z_]+) is ([a-z_]+))?: (?:see ([a-z_][a-z0-9_.]*)|([^:]+): (.+))$/

/** Parses a line such as `rule: Term: sentence` or `rule of a: see other.column`. Returns null for any other line. */
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
