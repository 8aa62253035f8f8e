import type { Resource } from '../resources/resource.ts'
import { at } from '../warehouse/load/record-row.ts'

const UPPER_HEX = /^(?=.*[A-F])[0-9A-Fa-f]+$/

/** Returns hexadecimal ids in lower case, because some services send both cases. Other texts stay unchanged. */
export function lowerId(id: string): string {
  return UPPER_HEX.test(id) ? id.toLowerCase() : id
}

export function idLowerer(resource: Resource): (record: Record<string, unknown>) => void {
  const lists = resource.children.filter(({ columns }) =>
    columns.some(({ isHex, path }) => isHex && path.length === 0),
  )
  const paths = [...resource.columns.filter(({ isHex }) => isHex), ...lists].map(({ path }) => path)
  return (record) => {
    for (const path of paths) {
      const holder = at(record, path.slice(0, -1)) as Record<string, unknown> | null | undefined
      const name = path.at(-1)
      if (typeof holder !== 'object' || holder === null || name === undefined) continue
      const value = holder[name]
      if (typeof value === 'string') holder[name] = lowerId(value)
      else if (Array.isArray(value))
        holder[name] = value.map((id) => (typeof id === 'string' ? lowerId(id) : id))
    }
  }
}
