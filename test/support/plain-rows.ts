import { objectsOf } from '../../src/warehouse/read/rows-to-objects.ts'

/** Converts the rows of a reader to plain values: integers to numbers, times and days to Unix seconds. */
export function plainRows(result: Parameters<typeof objectsOf>[0]): Record<string, unknown>[] {
  return objectsOf(result).map((row) => plain(row) as Record<string, unknown>)
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.getTime() / 1000
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)) return Date.parse(value) / 1000
  if (Array.isArray(value)) return value.map(plain)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
}
