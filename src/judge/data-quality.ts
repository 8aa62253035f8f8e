import { contextOf, type FormatContext, format, plain } from '../render/format.ts'
import type { Coverage, Gate } from '../render/result.ts'
import type { OpenFrame } from '../report/scope/frame.ts'
import { frameSql } from '../report/scope/frame-sql.ts'
import { rangeLabel } from '../report/scope/frame-text.ts'
import { addDays } from '../report/scope/local-date.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import type { Session } from '../warehouse/read/session.ts'

/** If `now` (Unix ms) is undefined, the age of the data is not checked. */
export async function qualityGates(
  session: Session,
  { coverage, frame }: OpenFrame,
  now: number | undefined,
): Promise<Gate[]> {
  const [found = {}] = objectsOf(await session.query(frameSql('quality')))
  const limits = objectsOf(await session.query('from config_thresholds'))
  const { finished_at: readAt, sync_status: status } = found
  const facts = {
    quarantined: Number(found.quarantined),
    records: Number(found.records),
    incidents: Number(found.incidents),
    conflicts: Number(found.conflicts),
    unknownTeam: Number(found.unknown_team),
    syncStatus: typeof status === 'string' ? status : null,
    syncMessage: String(found.sync_message ?? ''),
    ageS: now !== undefined && readAt instanceof Date ? wholeUnits((now - readAt.getTime()) / 1_000) : null,
  }
  const thresholds = new Map(limits.map(({ name, value }) => [String(name), Number(value)]))
  return judgeQuality(facts, coverage, thresholds, contextOf(frame))
}

/** Rounds seconds down to hours, or to days from two days on, so that a slightly later page has the same text. */
function wholeUnits(seconds: number): number {
  const unit = seconds < 2 * 86_400 ? 3_600 : 86_400
  return Math.max(0, Math.floor(seconds / unit) * unit)
}

/** Facts for data quality checks. See `reports/frame/quality.sql`. */
export interface QualityFacts {
  quarantined: number
  records: number
  incidents: number
  conflicts: number
  unknownTeam: number
  /** Result of the newest sync: `ok`, `partial` or `failed`. Null if there was none. */
  syncStatus: string | null
  syncMessage: string
  ageS: number | null
}

/** Limits from `config_thresholds`, by name. */
export type Thresholds = ReadonlyMap<string, number>

/** A check without a limit cannot fail. */
export function judgeQuality(
  facts: QualityFacts,
  coverage: Coverage,
  thresholds: Thresholds,
  context: FormatContext,
): Gate[] {
  const percent = (share: number) => plain(format(share, 'percent', context))
  const number = (count: number) => plain(format(count, 'number', context))
  const above = (name: string, value: number | null, unit: string) =>
    stateOf(name, unit, (limit) => value !== null && value > limit, thresholds)
  const partOf = (count: number, whole: number) => (whole > 0 ? count / whole : null)
  const gate = (name: string, state: Gate['state'], message: string): Gate => ({
    name,
    origin: 'data quality',
    state,
    message,
  })
  const { quarantined, records, incidents, conflicts, unknownTeam, ageS } = facts
  const read = coverage.share
  const age = above('age', ageS, 's')
  return [
    gate(
      'coverage',
      stateOf('coverage', 'share', (limit) => read !== null && read < limit, thresholds),
      read === null
        ? 'Coverage of the period is unknown.'
        : `Coverage of the period is ${percent(read)}${missing(coverage)}.`,
    ),
    gate(
      'age',
      age,
      // A passed check mentions no times, so that the same data gives the same bytes.
      age === 'ok'
        ? 'The data is up to date.'
        : `The data is ${plain(format(ageS, 'duration', context))} old.`,
    ),
    gate(
      'last sync',
      facts.syncStatus === null || facts.syncStatus === 'ok' ? 'ok' : 'warn',
      facts.syncStatus === null
        ? 'No sync has been recorded.'
        : `The last sync ${syncWords[facts.syncStatus] ?? `ended ${facts.syncStatus}`}${facts.syncMessage ? `: ${facts.syncMessage.replace(/\.$/, '')}` : ''}.`,
    ),
    gate(
      'quarantined',
      above('quarantined', partOf(quarantined, quarantined + records), 'share'),
      // A quarantined record can be a later version of a stored record. Figures then use the last valid version.
      quarantined === 1
        ? '1 record is quarantined. Figures exclude it, or use its last valid version.'
        : `${number(quarantined)} records are quarantined. Figures exclude them, or use their last valid versions.`,
    ),
    gate(
      'conflicts',
      above('conflicts', partOf(conflicts, incidents), 'share'),
      `${number(conflicts)} of ${number(incidents)} incidents ${conflicts === 1 ? 'has' : 'have'} contradictory times.`,
    ),
    gate(
      'unknown team',
      above('unknown_team', partOf(unknownTeam, incidents), 'share'),
      `${number(unknownTeam)} of ${number(incidents)} incidents ${unknownTeam === 1 ? 'belongs' : 'belong'} to no known team.`,
    ),
  ]
}

const syncWords: Record<string, string> = { ok: 'succeeded', partial: 'was partial', failed: 'failed' }

function stateOf(
  name: string,
  unit: string,
  isBeyond: (limit: number) => boolean,
  thresholds: Thresholds,
): Gate['state'] {
  const passes = (level: string) => {
    const limit = thresholds.get(`${name}_${level}_${unit}`)
    return limit !== undefined && isBeyond(limit)
  }
  if (passes('error')) return 'error'
  return passes('warn') ? 'warn' : 'ok'
}

/** Returns a text such as `; missing: 3 Aug – 5 Aug 2026`, which lists the first three gaps. */
function missing({ gaps }: Coverage): string {
  if (gaps.length === 0) return ''
  const named = gaps.slice(0, 3).map(({ from, to }) => {
    const first = from.slice(0, 10)
    // The end is exclusive, so a gap that ends at midnight does not include the new day.
    const last = to.slice(11) === '00:00:00' ? addDays(to.slice(0, 10), -1) : to.slice(0, 10)
    return rangeLabel({ from: first, to: addDays(first > last ? first : last, 1) })
  })
  const more = gaps.length - 3
  return `; missing: ${named.join(', ')}${more > 0 ? ` and ${more} more ${more === 1 ? 'gap' : 'gaps'}` : ''}`
}
