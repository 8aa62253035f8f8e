import type { Resource } from '../../resources/resource.ts'

/** A record of the service after validation. */
export type RecordRow = Readonly<Record<string, unknown>>

/** Returns the value at a path of field names, or undefined if a step of the path is missing. */
export function at(value: unknown, path: readonly string[]): unknown {
  let here = value
  for (const step of path) {
    if (here === null || typeof here !== 'object') return undefined
    here = (here as RecordRow)[step]
  }
  return here
}

/** Returns the field names that lead to the value of a column. */
export function pathOf({ columns }: Pick<Resource, 'columns'>, column: string): readonly string[] {
  return columns.find(({ name }) => name === column)?.path ?? []
}

/** Returns a function that joins the parts of a record's key with NUL characters. */
export function keyOf(resource: Pick<Resource, 'key' | 'columns'>): (row: RecordRow) => string {
  const paths = resource.key.map((column) => pathOf(resource, column))
  return (row) =>
    paths
      .map((path) => at(row, path))
      .map(String)
      .join('\u0000')
      .toWellFormed()
}
