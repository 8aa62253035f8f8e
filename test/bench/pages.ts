import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { sandboxClock } from '../../dist/sandbox/clock.js'
import { buildWorld } from '../../dist/sandbox/world/build-world.js'

const PAGE = 100

/** The time of the data in all benches, so that every run reads the same records. */
export const NOW = Date.UTC(2026, 0, 1) / 1_000

/** Generates responses of /incident/list for a simulated company, one page at a time to save memory. */
export function* incidentPages(incidents: number): Generator<Buffer> {
  const { incidents: set } = buildWorld({ seed: 1, incidents, anchor: NOW }, sandboxClock(NOW))
  let items: string[] = []
  for (let index = 0; index < set.count(); index++) {
    if (set.isListed(index)) items.push(set.json(index))
    if (items.length === PAGE || index === set.count() - 1) {
      yield pageOf(items)
      items = []
    }
  }
}

const REAL = fileURLToPath(new URL('../../../shared/data/uci498/incidents.ndjson.gz', import.meta.url))

/** Whether the file with the 24,918 real incidents exists beside the checkout. */
export const hasReal = existsSync(REAL)

/** Generates pages of the real incidents, repeated under new ids until there are enough. */
export function* realPages(incidents: number): Generator<Buffer> {
  const lines = gunzipSync(readFileSync(REAL)).toString('utf8').trimEnd().split('\n')
  for (let start = 0; start < incidents; start += PAGE) {
    const items = Array.from({ length: Math.min(PAGE, incidents - start) }, (_, index) => {
      const number = start + index
      const id = `"incident_id":"${number.toString(16).padStart(24, '0')}"`
      return lines[number % lines.length]!.replace(/"incident_id":"[0-9a-f]{24}"/, id)
    })
    yield pageOf(items)
  }
}

function pageOf(items: readonly string[]): Buffer {
  return Buffer.from(
    `{"request_id":"bench","data":{"items":[${items.join(',')}],"total":1000,"has_next_page":true}}`,
  )
}
