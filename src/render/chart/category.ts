const severities = ['Critical', 'Warning', 'Info', 'Ok']

/** The colour class of a category: severities have their own, anything else takes the next of the series. */
export function colorClass(category: string, index: number): string {
  const rank = severities.indexOf(category)
  return rank < 0 ? `c${index % 6}` : `sev${rank}`
}

/** Orders categories: severities from worst to mildest, the rest as they came. */
export function inOrder(categories: readonly string[]): string[] {
  const rank = (name: string) => (severities.includes(name) ? severities.indexOf(name) : severities.length)
  return [...new Set(categories)].sort((a, b) => rank(a) - rank(b))
}
