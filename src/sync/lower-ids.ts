import type { Resource } from '../resources/resource.ts'
import { at } from '../warehouse/load/record-row.ts'

/** Hexadecimal digits with at least one upper-case letter. */
const UPPER_HEX = /^(?=.*[A-F])[0-9A-Fa-f]+$/

/** Returns an id as it is stored and compared: hexadecimal ids in lower case, other texts unchanged. */
export function lowerId(id: string): string {
  return UPPER_HEX.test(id) ? id.toLowerCase() : id
}

/** Returns a function that lower-cases the hexadecimal ids of a record and its lists in place. */
export function idLowerer(resource: Resource): (record: Record<string, unknown>) => void {
  const own = resource.columns.filter(({ isHex }) => isHex).map(({ path }) => path)
  const lists = resource.children
    .filter(({ columns }) => columns.some(({ isHex, path }) => isHex && path.length === 0))
    .map(({ path }) => path)
  return (record) => {
    for (const path of own) replace(record, path, (id) => (typeof id === 'string' ? lowerId(id) : id))
    for (const path of lists)
      replace(record, path, (list) =>
        Array.isArray(list) ? list.map((id) => (typeof id === 'string' ? lowerId(id) : id)) : list,
      )
  }
}

function replace(
  record: Record<string, unknown>,
  path: readonly string[],
  change: (value: unknown) => unknown,
) {
  const holder = at(record, path.slice(0, -1)) as Record<string, unknown> | null | undefined
  const name = path.at(-1)
  if (typeof holder !== 'object' || holder === null || name === undefined) return
  const value = holder[name]
  const changed = change(value)
  if (changed !== value) holder[name] = changed
}
