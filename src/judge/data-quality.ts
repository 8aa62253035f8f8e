import type { Coverage, Gate } from '../render/result.ts'
import type { OpenFrame } from '../report/scope/frame.ts'
import { frameSql } from '../report/scope/frame-sql.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import type { Session } from '../warehouse/read/session.ts'

/** If `now` (Unix ms) is undefined, the age of the data is not checked. */
export async function qualityOf(
  session: Session,
  { coverage }: OpenFrame,
  now: number | undefined,
): Promise<Quality> {
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
  return judgeQuality(facts, coverage, thresholds)
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

export type Quality = ReturnType<typeof judgeQuality>

/** Returns the facts, and the state of each check by its name. A check without a limit cannot fail. */
export function judgeQuality(
  facts: QualityFacts,
  { share }: Pick<Coverage, 'share'>,
  thresholds: Thresholds,
) {
  const above = (name: string, value: number | null, unit: string) =>
    stateOf(name, unit, (limit) => value !== null && value > limit, thresholds)
  const partOf = (count: number, whole: number) => (whole > 0 ? count / whole : null)
  const { quarantined, records, incidents, conflicts, unknownTeam, syncStatus, ageS } = facts
  const states: Record<
    'coverage' | 'age' | 'last sync' | 'quarantined' | 'conflicts' | 'unknown team',
    Gate['state']
  > = {
    coverage: stateOf('coverage', 'share', (limit) => share !== null && share < limit, thresholds),
    age: above('age', ageS, 's'),
    'last sync': syncStatus === null || syncStatus === 'ok' ? 'ok' : 'warn',
    quarantined: above('quarantined', partOf(quarantined, quarantined + records), 'share'),
    conflicts: above('conflicts', partOf(conflicts, incidents), 'share'),
    'unknown team': above('unknown_team', partOf(unknownTeam, incidents), 'share'),
  }
  return { facts, states }
}

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
