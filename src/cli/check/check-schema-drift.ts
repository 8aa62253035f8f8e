import { UNKNOWN_WORD } from '../../sync/undocumented-fields.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import { type CheckResult, failed, ok, warn } from './check-result.ts'

/** Checks for undocumented enum values from the service. Figures use only the documented ones. */
export async function checkWords(reader: Reader): Promise<CheckResult> {
  try {
    const words = new Map<string, Set<string>>()
    for (const { resource, field, kind } of objectsOf(await reader.query('from schema_drift order by all'))) {
      const word = String(kind)
      if (!word.startsWith(UNKNOWN_WORD)) continue
      const name = `${resource}.${field}`
      words.set(name, (words.get(name) ?? new Set()).add(word.slice(UNKNOWN_WORD.length)))
    }
    if (words.size === 0) return ok('words', 'the service uses the words of its document')
    const found = [...words].map(([field, some]) => `${field}: ${[...some].join(', ')}`)
    return warn(
      'words',
      `the service uses words that its document does not name: ${found.join('; ')}`,
      'They are stored as they came, and no figure takes them for a word it knows: a severity of that name is not serious. The table schema_drift says since when.',
    )
  } catch (error) {
    return failed('words', error)
  }
}
