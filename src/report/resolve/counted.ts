import { numberOf } from '../../render/format.ts'
import type { Counted, RuleFigure, StillOpen, Verdicts } from '../../render/result.ts'
import type { Session } from '../../warehouse/read/session.ts'
import type { Report } from '../parse/parse.ts'
import type { OpenFrame } from '../scope/frame.ts'
import { frameSql } from '../scope/frame-sql.ts'
import { rulesBehind } from './rules-behind.ts'

/** How the figures of a report were counted: its rules, the funnel, and where it speaks of times these under every other rule. */
export async function countedOf(
  session: Session,
  { bound, policies }: OpenFrame,
  report: Report,
  verdicts: Verdicts,
): Promise<Counted> {
  const { rows } = await session.query(frameSql('funnel'), bound)
  const funnel = rows.map(([label, count]) => ({ label: String(label), count: Number(count) }))
  const rules = await rulesBehind(session, report, policies, verdicts)
  const speaksOfTimes = rules.some(({ term }) => /^Time to/.test(term))
  if (isEmpty(funnel) || !speaksOfTimes) return { rules, funnel }
  return { rules, funnel, sensitivity: await sensitivityOf(session) }
}

/** Whether no incident was counted. */
export function isEmpty(funnel: Counted['funnel']): boolean {
  return funnel.find(({ label }) => label === 'counted')?.count === 0
}

/** What is open now, and what has come since the period, of the chosen teams and severities; see `reports/frame/still-open.sql`. */
export async function stillOpenOf(session: Session, { bound }: OpenFrame): Promise<StillOpen> {
  const { rows } = await session.query(frameSql('still-open'), bound)
  const [all = 0, critical = 0, since = 0, later = 0, came = 0] = rows[0]!.map(Number)
  return { all, critical, since, later, came }
}

/** The headline times of a report's period under every rule in use; see `reports/frame/sensitivity.sql`. */
async function sensitivityOf(session: Session): Promise<RuleFigure[]> {
  const { rows } = await session.query(frameSql('sensitivity'))
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
