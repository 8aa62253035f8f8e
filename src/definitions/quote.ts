export function quoteIdentifier(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

/** Quotes identifiers, puts `prefix` (such as `t.`) before each of them, and joins them with commas. */
export function quoteIdentifiers(identifiers: readonly string[], prefix = ''): string {
  return identifiers.map((one) => prefix + quoteIdentifier(one)).join(', ')
}

export function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
