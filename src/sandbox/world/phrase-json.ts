import { type Slot, writerOf } from '../json-shape.ts'
import type { Piece } from '../json-writer.ts'
import { LABELS, type Phrase, type Place, phraseKey, phraseOf } from './describe.ts'
import type { StoryTable } from './story-table.ts'

/** A place whose names are JSON already, without quotes. */
export type PlaceJson = Readonly<Record<keyof Place, Piece>>

/** What writes the words of incidents, about any place. */
export interface PhraseJson {
  readonly description: Slot<PlaceJson>
  readonly summary: Slot<PlaceJson>
  readonly dedupKey: Slot<PlaceJson>
  readonly labels: Slot<PlaceJson>
}

/** Stand for the names of a place in texts that are the same everywhere. JSON does not escape them. */
const ANYWHERE: Place = { service: '\ue000', environment: '\ue001', cluster: '\ue002' }
const NAME = /[\ue000-\ue002]/
const WRITE_NAME: Record<string, Slot<PlaceJson>> = {
  [ANYWHERE.service]: ({ service }, out) => out.piece(service),
  [ANYWHERE.environment]: ({ environment }, out) => out.piece(environment),
  [ANYWHERE.cluster]: ({ cluster }, out) => out.piece(cluster),
}

/** Finds the words of incidents. Places are many and the rest is not, so that all of it is soon known. */
export function phraseFinder(table: StoryTable, seed: number): (i: number) => PhraseJson {
  const known = new Map<number, PhraseJson>()
  return (i) => {
    const key = phraseKey(table, i, seed)
    let phrase = known.get(key)
    if (phrase === undefined) {
      phrase = phraseJson(phraseOf(table, i, seed, ANYWHERE))
      known.set(key, phrase)
    }
    return phrase
  }
}

function phraseJson({ description, summary, dedupKey, labels = [] }: Phrase): PhraseJson {
  return {
    description: anywhere(description),
    summary: anywhere(summary),
    dedupKey: anywhere(dedupKey),
    labels: anywhere(Object.fromEntries(labels.map((value, k) => [LABELS[k]!, value]))),
  }
}

function anywhere(value: unknown): Slot<PlaceJson> {
  const json = JSON.stringify(value)
  const names = json.match(new RegExp(NAME, 'g')) ?? []
  return writerOf({ texts: json.split(NAME), slots: names.map((name) => WRITE_NAME[name]!) })
}
