import { existsSync, readFileSync } from 'node:fs'
import type { Place } from '../config/lake.ts'
import { flush } from '../effects.ts'
import { appendLine } from './file/append-line.ts'
import { warehouseFiles } from './file/files.ts'
import { deliveriesInLake } from './lake/deliveries.ts'

/** A message that was sent. */
interface Delivery {
  /** What it is known by: of report, parameters, due time and target. */
  readonly key: string
  readonly report: string
  /** The time it was for, ISO. */
  readonly due: string
}

/** What was sent from a warehouse, by any process. */
interface Deliveries {
  /** When each message of a report was sent, ISO, by its key. */
  sent(report: string): Promise<ReadonlyMap<string, string>>
  note(delivery: Delivery): Promise<void>
}

/** The ledger of deliveries: a file beside the warehouse, `<warehouse>.deliveries.ndjson`, or a table in PostgreSQL. */
export function deliveriesOf(place: Place): Deliveries {
  return typeof place === 'string' ? deliveriesIn(deliveriesFile(place)) : deliveriesInLake(place)
}

function deliveriesFile(place: string): string {
  return `${warehouseFiles(place).published}.deliveries.ndjson`
}

/** Each a line, appended and on the disk before the next message is sent. A line that cannot be read counts for nothing. */
function deliveriesIn(file: string): Deliveries {
  return {
    async sent(report) {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
      const known = lines.flatMap((line) => deliveryOf(line) ?? []).filter((each) => each.report === report)
      return new Map(known.map(({ key, sent_at }) => [key, sent_at]))
    },
    async note({ key, report, due }) {
      appendLine(file, JSON.stringify({ key, report, due, sent_at: new Date().toISOString() }))
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
