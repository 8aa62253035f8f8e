import { UNKNOWN_WORD } from '../../sync/undocumented-fields.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import { type CheckResult, ok, warn } from './check-result.ts'

const NEXT =
  'The values are stored unchanged, but figures do not include them: an unknown severity is not high-severity. The table schema_drift shows when they first appeared.'

/** Checks whether the service sent enum values that its document does not list. Figures use only the listed ones. */
export async function checkWords(reader: Reader): Promise<CheckResult> {
  const words = new Map<string, Set<string>>()
  for (const { resource, field, kind } of objectsOf(await reader.query('from schema_drift order by all'))) {
    const word = String(kind)
    if (!word.startsWith(UNKNOWN_WORD)) continue
    const name = `${resource}.${field}`
    words.set(name, (words.get(name) ?? new Set()).add(word.slice(UNKNOWN_WORD.length)))
  }
  if (words.size === 0) return ok('words', 'no undocumented enum values')
  const found = [...words].map(([field, some]) => `${field}: ${[...some].join(', ')}`)
  return warn('words', `undocumented enum values: ${found.join('; ')}`, NEXT)
}
