import { wordsAt } from '../contract/tolerant.ts'
import type { Resource } from '../resources/resource.ts'
import { at } from '../warehouse/load/record-row.ts'

/** A word of an enumerated field that the service's document does not name. */
export interface UnknownWord {
  readonly field: string
  readonly word: string
}

/** What the kind of a row of `schema_drift` begins with that is about a word. */
export const UNKNOWN_WORD = 'unknown word: '

/** A service has a handful of new words; of one that puts free text into such fields so many are noted. */
export const WORDS_MOST = 100
const LENGTH_MOST = 64

/**
 * Makes what collects the unknown words of a resource's records, each once, under `field=word`. They are stored as they came;
 * that somebody counts by the words of the document is why they are noted. What a privacy rule changes is left out.
 */
export function wordCollector(resource: Resource): (record: object, found: Map<string, UnknownWord>) => void {
  const ruled = new Set(resource.scrub?.columns.flatMap(({ child, name }) => (child === null ? [name] : [])))
  const enumerated = resource.columns.flatMap(({ name, path }) => {
    const words = ruled.has(name) ? undefined : wordsAt(resource.record, path)
    return words ? [{ path, field: path.join('.'), words: new Set(words) }] : []
  })
  return (record, found) => {
    for (const { path, field, words } of enumerated) {
      const value = at(record, path)
      // Empty is "not set".
      if (typeof value !== 'string' || value === '' || words.has(value) || found.size >= WORDS_MOST) continue
      // As it comes back from the warehouse, where half of a character is none.
      const word = Buffer.from(value.slice(0, LENGTH_MOST)).toString()
      found.set(`${field}=${word}`, { field, word })
    }
  }
}
