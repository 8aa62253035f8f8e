/** A record of the service after validation. */
export type RecordRow = Readonly<Record<string, unknown>>

/** The value at the end of the path, undefined where it breaks off. */
export function at(value: unknown, path: readonly string[]): unknown {
  let here = value
  for (const step of path) {
    if (here === null || typeof here !== 'object') return undefined
    here = (here as RecordRow)[step]
  }
  return here
}

/** The key of a record of the resource, as one text. */
export function keyOf(resource: {
  readonly key: readonly string[]
  readonly columns: readonly { readonly name: string; readonly path: readonly string[] }[]
}): (row: RecordRow) => string {
  const paths = resource.key.map((key) => resource.columns.find((column) => column.name === key)?.path ?? [])
  const [only, ...more] = paths
  // Nearly every key is one field of the record itself, and it is asked for twice a record.
  if (more.length === 0 && only?.length === 1) return (row) => String(row[only[0]!])
  return (row) => paths.map((path) => String(at(row, path))).join('\u0000')
}
