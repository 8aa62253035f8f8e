/** An identifier in double quotes, safe in any SQL text. */
export function name(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

/** Identifiers in double quotes, separated by commas, each after `prefix` (such as `t.`). */
export function names(identifiers: readonly string[], prefix = ''): string {
  return identifiers.map((one) => prefix + name(one)).join(', ')
}

/** A text in single quotes, safe in any SQL text. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
