import type { Quality } from '../../judge/data-quality.ts'
import { type FormatContext, format, numberOf, plain, textOf } from '../../render/format.ts'
import type { Coverage, Gate, Value } from '../../render/result.ts'
import type { GateRule } from '../../report/parse/parse.ts'
import { missingText } from './methodology-sentences.ts'

/** Returns the checks of the data with their messages. */
export function qualityGates({ facts, states }: Quality, coverage: Coverage, context: FormatContext): Gate[] {
  const number = (count: number) => plain(format(count, 'number', context))
  const { quarantined, incidents, conflicts, unknownTeam, syncStatus, syncMessage, ageS } = facts
  const share = coverage.share === null ? null : plain(format(coverage.share, 'percent', context))
  const messages: Record<keyof Quality['states'], string> = {
    coverage:
      share === null
        ? 'Coverage of the period is unknown.'
        : `Coverage of the period is ${share}${missingText(coverage, context)}.`,
    // A passed check mentions no times, so that the same data gives the same bytes.
    age:
      states.age === 'ok'
        ? 'The data is up to date.'
        : `The data is ${plain(format(ageS, 'duration', context))} old.`,
    'last sync':
      syncStatus === null
        ? 'No sync has been recorded.'
        : `The last sync ${syncWords[syncStatus] ?? `ended ${syncStatus}`}${syncMessage ? `: ${syncMessage.replace(/\.$/, '')}` : ''}.`,
    // A quarantined record can be a later version of a stored record. Figures then use the last valid version.
    quarantined:
      quarantined === 1
        ? '1 record is quarantined. Figures exclude it, or use its last valid version.'
        : `${number(quarantined)} records are quarantined. Figures exclude them, or use their last valid versions.`,
    conflicts: `${number(conflicts)} of ${number(incidents)} incidents ${conflicts === 1 ? 'has' : 'have'} contradictory times.`,
    'unknown team': `${number(unknownTeam)} of ${number(incidents)} incidents ${unknownTeam === 1 ? 'belongs' : 'belong'} to no known team.`,
  }
  return (Object.keys(messages) as (keyof typeof messages)[]).map((name) => ({
    ...{ name, origin: 'data quality', state: states[name], message: messages[name] },
  }))
}

const syncWords: Record<string, string> = { ok: 'succeeded', partial: 'was partial', failed: 'failed' }

/** Describes the result of a condition in a report whose author gave it no message. */
export function gateText(
  { name, condition, when }: GateRule,
  offenders: readonly Value[],
  context: FormatContext,
): string {
  if (offenders.length === 0) return `${name}: not met (${when})`
  if (condition.kind !== 'compare') {
    const rows = `${offenders[0]} ${offenders[0] === 1 ? 'row' : 'rows'}`
    return `${name}: ${condition.query} has ${offenders[0] === 0 ? 'no rows' : rows}`
  }
  const kind = condition.limit.kind
  const shown = (value: Value) =>
    kind === 'percent' || kind === 'duration'
      ? plain(format(value, kind, context))
      : numberOf(value) === null
        ? textOf(value, context)
        : plain(format(value, 'number', context))
  const more = offenders.length > 1 ? ` in ${offenders.length} rows, first` : ''
  return `${name}: ${condition.query}.${condition.column} is${more} ${shown(offenders[0]!)} (${when})`
}
