import type { Format } from '../chart-spec.ts'
import { format, plain } from '../format.ts'
import type { Frame } from '../result.ts'

/** Writes the figures of a chart in its format; no value is a dash. */
export function figureText(as: Format, { timezone }: Frame): (value: number | null | undefined) => string {
  return (value) => plain(format(value ?? null, as, { timezone, year: '' }))
}
