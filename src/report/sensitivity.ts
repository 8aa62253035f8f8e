import { numberOf } from '../render/format.ts'
import type { RuleFigure } from '../render/result.ts'
import type { Parameters as Bound, Session } from '../warehouse/reader.ts'
import { frameSql } from './frame-sql.ts'

/** The headline times of a report's period under every rule in use; see `reports/frame/sensitivity.sql`. */
export async function sensitivityOf(session: Session, bound: Bound): Promise<RuleFigure[]> {
  const { rows } = await session.query(frameSql('sensitivity'), bound)
  return rows.map(([measure, policy, isChosen, n, median, mean]) => ({
    measure: words(measure),
    rule: words(policy),
    isChosen: isChosen === true,
    n: Number(n),
    median: numberOf(median),
    mean: numberOf(mean),
  }))
}

/** `time_to_ack` is `time to ack`. */
function words(name: unknown): string {
  return String(name).replaceAll('_', ' ')
}
