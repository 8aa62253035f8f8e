export function quoteIdentifier(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

/** Quotes identifiers and joins them with commas, each after `prefix` (such as `t.`). */
export function quoteIdentifiers(identifiers: readonly string[], prefix = ''): string {
  return identifiers.map((one) => prefix + quoteIdentifier(one)).join(', ')
}

/** Quotes a text as an SQL literal. */
export function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
