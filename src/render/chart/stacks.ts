import type { ColumnsSpec } from '../chart-spec.ts'
import type { ChartBlock, Frame } from '../result.ts'
import { type Bucket, bucketsOf } from './buckets.ts'
import { columnsOf } from './read.ts'

/** What stands over one place of the x axis. */
export interface Stack {
  key: string
  /** Null when the x axis is not time. */
  bucket: Bucket | null
  /** Values by category. */
  values: Map<string, number>
  total: number
  highest: number
}

/** The rows of a result, gathered by x and, within it, by `color`. */
export function stacksOf(data: ChartBlock['data'], spec: ColumnsSpec, frame: Frame): Stack[] {
  const cells = columnsOf(data)
  const byKey = new Map<string, Pick<Stack, 'bucket' | 'values'>>(
    bucketsOf(data, spec.x, frame)?.map((bucket) => [bucket.key, { bucket, values: new Map() }]),
  )
  for (const row of data.rows) {
    const key = cells.text(row, spec.x)
    const { values } = byKey.get(key) ?? byKey.set(key, { bucket: null, values: new Map() }).get(key)!
    const category = spec.color === null ? '' : cells.text(row, spec.color)
    values.set(category, (values.get(category) ?? 0) + (cells.number(row, spec.y) ?? 0))
  }
  return [...byKey].map(([key, { bucket, values }]) => {
    const figures = [...values.values()]
    const total = figures.reduce((sum, value) => sum + value, 0)
    return { key, bucket, values, total, highest: spec.stack ? total : Math.max(0, ...figures) }
  })
}
