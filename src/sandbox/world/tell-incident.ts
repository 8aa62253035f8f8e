import { piecesOnce } from '../json-shape.ts'
import type { JsonWriter } from '../json-writer.ts'
import { hash } from '../random.ts'
import type { ChannelSlot, Company } from './company.ts'
import { placeOf } from './describe.ts'
import { incidentWriter } from './incident-json.ts'
import type { IncidentState } from './incident-state.ts'
import { phraseFinder } from './phrase-json.ts'
import { NO_SOURCE, SOURCES } from './source-json.ts'
import type { StoryTable } from './story-table.ts'

/** Writes the record of story `i`, which stands at `state`. */
export type TellIncident = (
  i: number,
  state: IncidentState,
  slot: ChannelSlot | undefined,
  postMortemId: string,
  out: JsonWriter,
) => void

/** Finds what the record of an incident is made of, and writes it. */
export function incidentTeller(table: StoryTable, seed: number, company: Company): TellIncident {
  const write = incidentWriter(table, seed, company)
  const phraseOf = phraseFinder(table, seed)
  const insideQuotes = piecesOnce((text) => JSON.stringify(text).slice(1, -1))
  return (i, state, slot, postMortemId, out) => {
    const creator = table.creator[i]!
    const sources = SOURCES[hash(seed, i, 251) % SOURCES.length]!
    const hasTwo = state.alerts > 4 && hash(seed, i, 252) % 4 === 0
    const place = placeOf(table, i, seed, slot)
    const told = {
      i,
      state,
      slot,
      phrase: phraseOf(i),
      place: {
        service: insideQuotes(place.service),
        environment: insideQuotes(place.environment),
        cluster: insideQuotes(place.cluster),
      },
      source: creator !== 0 ? NO_SOURCE : hasTwo ? sources.both : sources.one,
      creator,
      owner: state.responders.findLast((one) => one.acknowledgedAt !== 0)?.member ?? 0,
      rule: state.responders.length === 0 ? 0 : table.channel[i]!,
      postMortemId,
    }
    write(told, out)
  }
}
