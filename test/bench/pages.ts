import { standingClock } from '../../dist/sandbox/clock.js'
import { buildWorld } from '../../dist/sandbox/world/build-world.js'

/** Rows of one page, as the sync asks for them. */
const PAGE = 100

/** The moment all benches stand at, so that every run reads the same records. */
export const NOW = Date.UTC(2026, 0, 1) / 1_000

/** Pages of /incident/list over a made-up company, as JSON text, made one by one so that they need no memory. */
export function* incidentPages(incidents: number): Generator<string> {
  const { incidents: set } = buildWorld({ seed: 1, incidents, anchor: NOW }, standingClock(NOW))
  let items: string[] = []
  for (let index = 0; index < set.count(); index++) {
    if (set.isListed(index)) items.push(set.json(index))
    if (items.length === PAGE || index === set.count() - 1) {
      yield `{"request_id":"bench","data":{"items":[${items.join(',')}],"total":1000,"has_next_page":true}}`
      items = []
    }
  }
}
