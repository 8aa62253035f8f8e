type Row = Record<string, unknown>

/**
 * Describes at most five differences between two sets of rows in any order, by the columns of `wanted`. Numbers may
 * differ by a relative error of 1e-9.
 */
export function differences(actual: readonly Row[], wanted: readonly Row[]): string[] {
  const columns = Object.keys(wanted[0] ?? {})
  const [is, due] = [actual, wanted].map((rows) => sorted(rows, columns)) as [Row[], Row[]]
  const found = is.length === due.length ? [] : [`${is.length} rows instead of ${due.length}`]
  for (let place = 0; place < Math.min(is.length, due.length) && found.length < 5; place++) {
    const wrong = columns.filter((column) => !isSame(is[place]![column], due[place]![column]))
    if (wrong.length === 0) continue
    const tell = (row: Row) =>
      JSON.stringify(Object.fromEntries(wrong.map((column) => [column, row[column]])))
    found.push(`${keyOf(due[place]!, columns)}: ${tell(is[place]!)} instead of ${tell(due[place]!)}`)
  }
  return found
}

function isSame(is: unknown, due: unknown): boolean {
  if (Array.isArray(due)) return JSON.stringify(is) === JSON.stringify(due)
  if (typeof is !== 'number' || typeof due !== 'number') return is === due
  return is === due || Math.abs(is - due) <= 1e-9 * Math.max(1, Math.abs(due))
}

/** Sorts by all columns except fractions, which may differ in their last digits. */
function sorted(rows: readonly Row[], columns: readonly string[]): Row[] {
  const keyed = rows.map((row) => [keyOf(row, columns), row] as const)
  return keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, row]) => row)
}

const keyOf = (row: Row, columns: readonly string[]) =>
  JSON.stringify(
    columns.map((column) => {
      const value = row[column]
      return typeof value === 'number' && !Number.isInteger(value) ? '' : value
    }),
  )
