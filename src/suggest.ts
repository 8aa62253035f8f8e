/** `Did you mean "x"?` for the candidate closest to `word`, or nothing when none is close. */
export function suggestion(word: string, candidates: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined
  for (const name of candidates) {
    const distance = editDistance(word.toLowerCase(), name.toLowerCase())
    if (!best || distance < best.distance) best = { name, distance }
  }
  return best && best.distance <= Math.max(1, Math.floor(word.length / 3))
    ? `Did you mean "${best.name}"?`
    : undefined
}

/** What to do next about an unknown name: the closest one, else the list of all. */
export function unknownName(word: string, candidates: Iterable<string>): string {
  const all = [...candidates]
  return suggestion(word, all) ?? (all.length ? `There are ${all.join(', ')}.` : 'There are none.')
}

/** Levenshtein distance, with a swap of neighbours counted as one edit. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, change))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1)
      }
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
