import { contextOf } from '../render/format.ts'
import type { Gate } from '../render/result.ts'
import type { Session } from '../warehouse/reader.ts'
import type { OpenFrame } from './frame.ts'
import { frameSql } from './frame-sql.ts'
import { judgeQuality } from './judge-quality.ts'
import { objectsOf } from './rows.ts'

/**
 * Every check of data quality, by the limits of `config_thresholds`. `now` is the clock of the machine in milliseconds,
 * which the age of the data is reckoned from; without it the age is not judged.
 */
export async function qualityGates(
  session: Session,
  { coverage, frame }: OpenFrame,
  now: number | undefined,
): Promise<Gate[]> {
  const [found = {}] = objectsOf(await session.query(frameSql('quality')))
  const { rows: limits } = await session.query('select name, value from config_thresholds')
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
  const thresholds = new Map(limits.map(([name, value]) => [String(name), Number(value)]))
  return judgeQuality(facts, coverage, thresholds, contextOf(frame))
}

/** Whole hours of two days, then whole days: a page that is made again soon says the same. */
function wholeUnits(seconds: number): number {
  const unit = seconds < 2 * 86_400 ? 3_600 : 86_400
  return Math.max(0, Math.floor(seconds / unit) * unit)
}
