import type { LineSpec } from '../chart-spec.ts'
import type { ChartBlock, Frame } from '../result.ts'
import { type Bucket, bucketsOf } from './buckets.ts'
import { columnsOf } from './read.ts'

/** What of a chart's keys says where the points are. */
type Read = Pick<LineSpec, 'x' | 'y' | 'band' | 'n' | 'small' | 'open'>

/** One bucket of a line chart: a value for each line, the band behind the first, and how many are behind both. */
export interface Point {
  bucket: Bucket
  values: (number | null)[]
  band: [number, number] | null
  n: number | null
  /** How many are still open. */
  open: number
}

/** The rows of a result as points in time; a band on few observations is left out. */
export function pointsOf(data: ChartBlock['data'], spec: Read, frame: Frame): Point[] {
  const cells = columnsOf(data)
  const buckets = new Map(bucketsOf(data, spec.x, frame)?.map((bucket) => [bucket.key, bucket]))
  return data.rows
    .filter((row) => buckets.has(cells.text(row, spec.x)))
    .map((row) => {
      const n = spec.n === null ? null : cells.number(row, spec.n)
      const [low, high] = spec.band?.map((name) => cells.number(row, name)) ?? []
      return {
        bucket: buckets.get(cells.text(row, spec.x))!,
        values: spec.y.map((name) => cells.number(row, name)),
        band:
          low == null || high == null || (n !== null && n < spec.small)
            ? null
            : ([low, high] as [number, number]),
        n,
        open: spec.open === null ? 0 : (cells.number(row, spec.open) ?? 0),
      }
    })
    .sort((a, b) => a.bucket.at.getTime() - b.bucket.at.getTime())
}
