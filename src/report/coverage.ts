import { localTime } from '../render/local-time.ts'
import type { Coverage } from '../render/result.ts'
import type { Parameters as Bound, Session } from '../warehouse/reader.ts'
import { frameSql } from './frame-sql.ts'
import { objectsOf } from './rows.ts'

/** Which part of the period was read; of several accounts the mean. See `reports/frame/coverage.sql`. */
export async function coverageOf(session: Session, bound: Bound, timezone: string): Promise<Coverage> {
  const stretches = objectsOf(await session.query(frameSql('coverage'), bound))
  if (stretches.length === 0) return { share: null, gaps: [], readAt: null }
  const local = (value: unknown) => (value instanceof Date ? localTime(value, timezone) : null)
  const [start, end] = [bound.period_start as Date, bound.period_end as Date]
  const missing = stretches.reduce((sum, each) => sum + Number(each.gap_s), 0)
  const whole = (Number(stretches[0]!.accounts) * (end.getTime() - start.getTime())) / 1_000
  return {
    share: whole > 0 ? 1 - missing / whole : null,
    gaps: stretches.flatMap((each) => {
      const [from, to] = [local(each.gap_from), local(each.gap_to)]
      return from !== null && to !== null ? [{ from, to }] : []
    }),
    readAt: stretches
      .map((each) => local(each.read_at))
      .reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null),
  }
}
