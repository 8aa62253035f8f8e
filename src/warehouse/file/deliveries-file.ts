import { existsSync, readFileSync } from 'node:fs'
import { appendLines, flush } from '../../effects.ts'
import type { Deliveries } from '../published.ts'
import type { PublishedFiles } from './files.ts'

/** Returns the ledger of deliveries, which is the file `<warehouse>.deliveries.ndjson`. Ignores invalid lines. */
export function deliveriesBeside({ published }: PublishedFiles): Deliveries {
  const file = `${published}.deliveries.ndjson`
  return {
    async sent(report) {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
      const known = lines.flatMap((line) => deliveryOf(line) ?? []).filter((each) => each.report === report)
      return new Map(known.map(({ key, sent_at }) => [key, sent_at]))
    },
    async note({ key, report, due }) {
      appendLines(file, [JSON.stringify({ key, report, due, sent_at: new Date().toISOString() })])
      flush(file)
    },
  }
}

function deliveryOf(line: string): { key: string; report: string; sent_at: string } | undefined {
  try {
    const { key, report, sent_at } = JSON.parse(line)
    const isWhole = [key, report, sent_at].every((each) => typeof each === 'string')
    return isWhole ? { key, report, sent_at } : undefined
  } catch {
    return undefined
  }
}
