import { unknownCorrections, unknownReads, unreadMoments } from '../../definitions/custom-definitions-sql.ts'
import { idleExclusions } from '../../definitions/idle-exclusions.ts'
import { targetConflicts } from '../../definitions/target-conflicts.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import { parserOn } from '../../warehouse/read/session-parser.ts'
import { type CheckResult, failed, ok, warn } from './check-result.ts'

const IDLE =
  'Ask `faultline sql` for the incidents that it should hold for: `~` is of the whole text (`regexp_matches` finds a part), and what an exclusion before it leaves out is counted there.'

const OVERRIDE = 'Write `overrides: true` beside the target that is to hold, or give both the same target.'

/** Checks that incidents have the labels and custom fields in the configuration, and that exclusions match some incidents. */
export async function checkOwnWords(reader: Reader, settings: Settings): Promise<CheckResult[]> {
  const { exclusions, dimensions, measures, corrections, ownTargets } = settings
  if ([exclusions, dimensions, measures, corrections, ownTargets].every(({ length }) => length === 0))
    return []
  try {
    const unknown = await unknownReads(parserOn(reader), settings)
    const lost = await unknownCorrections(parserOn(reader), settings)
    const unread = await unreadMoments(parserOn(reader), settings)
    const idle = await idleExclusions(parserOn(reader), settings)
    const conflicts = await targetConflicts(parserOn(reader))
    if (unknown.length + lost.length + unread.length + idle.length + conflicts.length === 0)
      return [ok('own words', 'exclusions and dimensions read what incidents have')]
    return [
      ...unknown.map(({ text, next }) => warn('own words', text, next)),
      ...idle.map((text) => warn('own words', text, IDLE)),
      ...lost.map((text) =>
        warn('own words', text, 'Write the incident_id, not the number that people use.'),
      ),
      ...conflicts.map((text) => warn('own words', text, OVERRIDE)),
      ...unread.map((text) =>
        warn('own words', text, 'These incidents have no such measure. Write times as 2026-03-01T08:00:00Z.'),
      ),
    ]
  } catch (error) {
    return [failed('own words', error)]
  }
}
