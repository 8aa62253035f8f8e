/** An identifier in double quotes, safe in any SQL text. */
export function quoteIdentifier(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

/** Identifiers in double quotes, separated by commas, each after `prefix` (such as `t.`). */
export function quoteIdentifiers(identifiers: readonly string[], prefix = ''): string {
  return identifiers.map((one) => prefix + quoteIdentifier(one)).join(', ')
}

/** A text in single quotes, safe in any SQL text. */
export function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
