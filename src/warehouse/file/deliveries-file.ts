import { appendLines, flush } from '../../effects.ts'
import type { Deliveries } from '../published.ts'
import { readLines } from '../read/report-runs.ts'
import type { PublishedFiles } from './files.ts'

/** Reads and writes the list of sent report messages. Ignores invalid lines. */
export function deliveriesBeside({ published }: PublishedFiles): Deliveries {
  const file = `${published}.deliveries.ndjson`
  return {
    async sent(report) {
      const sent = readLines(file).filter((line) => line.report === report)
      const pairs = sent.map(({ key, sent_at }) => [key, sent_at] as const)
      return new Map(
        pairs.filter((pair): pair is [string, string] => pair.every((one) => typeof one === 'string')),
      )
    },
    async note({ key, report, due }) {
      appendLines(file, [JSON.stringify({ key, report, due, sent_at: new Date().toISOString() })])
      flush(file)
    },
  }
}
