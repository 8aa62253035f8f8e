import type { Settings } from '../settings/settings.ts'
import type { Parser } from './parse-tree.ts'

/** Returns a message for each exclusion that excludes no incident. Empty if the warehouse contains no incidents. */
export async function idleExclusions(parser: Parser, { exclusions }: Settings): Promise<string[]> {
  if (exclusions.length === 0) return []
  const found = await parser.runAndReadAll('select distinct excluded_as from own_incidents')
  const used = found.getRows().map(([name]) => name)
  if (used.length === 0) return []
  return exclusions
    .filter(({ name }) => !used.includes(name))
    .map(({ at, name }) => `${at}: reporting.exclude, "${name}": excludes no incident`)
}
