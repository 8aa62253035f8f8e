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
import { type CheckResult, ok, warn } from './check-result.ts'

const CHECK = 'custom definitions'
const IDLE =
  'Query the expected incidents with `faultline sql`. `~` must match the whole text; `regexp_matches` matches a part. An incident counts only for the first exclusion that it matches.'
const LOST = 'Use the incident_id, not the incident number.'
const OVERRIDE = 'Set `overrides: true` on the target that should apply, or set both to the same target.'
const UNREAD = 'These incidents lack the measure. Write times as 2026-03-01T08:00:00Z.'

export async function checkOwnWords(reader: Reader, settings: Settings): Promise<CheckResult[]> {
  const { exclusions, dimensions, measures, corrections, ownTargets } = settings
  if ([exclusions, dimensions, measures, corrections, ownTargets].every(({ length }) => length === 0))
    return []
  const parser = parserOn(reader)
  const warnings = (texts: readonly string[], next: string) => texts.map((text) => warn(CHECK, text, next))
  const unknown = await unknownReads(parser, settings)
  const found = [
    ...unknown.map(({ text, next }) => warn(CHECK, text, next)),
    ...warnings(await idleExclusions(parser, settings), IDLE),
    ...warnings(await unknownCorrections(parser, settings), LOST),
    ...warnings(await targetConflicts(parser), OVERRIDE),
    ...warnings(await unreadMoments(parser, settings), UNREAD),
  ]
  return found.length > 0 ? found : [ok(CHECK, 'all referenced fields exist')]
}
