import {
  idleExclusions,
  targetConflicts,
  unknownCorrections,
  unknownReads,
  unreadMoments,
} from '../../definitions/custom-definitions-sql.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import { parserOn } from '../../warehouse/read/session-parser.ts'
import { type CheckResult, failed, ok, warn } from './check-result.ts'

const IDLE =
  'Query the expected incidents with `faultline sql`. `~` must match the whole text; `regexp_matches` matches a part. An incident counts only for the first exclusion that it matches.'

const OVERRIDE = 'Set `overrides: true` on the target that should apply, or set both to the same target.'

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
      return [ok('custom definitions', 'all referenced fields exist')]
    return [
      ...unknown.map(({ text, next }) => warn('custom definitions', text, next)),
      ...idle.map((text) => warn('custom definitions', text, IDLE)),
      ...lost.map((text) =>
        warn('custom definitions', text, 'Use the incident_id, not the incident number.'),
      ),
      ...conflicts.map((text) => warn('custom definitions', text, OVERRIDE)),
      ...unread.map((text) =>
        warn(
          'custom definitions',
          text,
          'These incidents lack the measure. Write times as 2026-03-01T08:00:00Z.',
        ),
      ),
    ]
  } catch (error) {
    return [failed('custom definitions', error)]
  }
}
