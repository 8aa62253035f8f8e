import { definitionsKey } from '../definitions/custom-definitions-sql.ts'
import { numberOf } from '../render/format.ts'
import type { Methodology, RuleFigure, StillOpen, Verdicts } from '../render/result.ts'
import type { Report } from '../report/parse/parse.ts'
import type { OpenFrame } from '../report/scope/frame.ts'
import { frameSql } from '../report/scope/frame-sql.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import type { Session } from '../warehouse/read/session.ts'
import type { Gap } from './finding.ts'
import { rulesBehind } from './methodology-rules.ts'

/** Returns the methodology. If the report shows durations, it includes the durations under alternative definitions. */
export async function countedOf(
  session: Session,
  { bound, policies, keep }: OpenFrame,
  report: Report,
  verdicts: Verdicts,
): Promise<Methodology> {
  await keep('scoped_targets', frameSql('scoped-targets'))
  const { rows } = await session.query(frameSql('funnel'), bound)
  const funnel = rows.map(([label, count, exclusion]) => ({
    label: String(label),
    count: Number(count),
    ...(exclusion !== null && { exclusion: String(exclusion) }),
  }))
  const rules = [...(await rulesBehind(session, report, policies, verdicts)), ...(await ownRules(session))]
  const speaksOfTimes = rules.some(({ term }) => /^Time to/.test(term))
  if (isEmpty(funnel) || !speaksOfTimes) return { rules, funnel }
  return { rules, funnel, sensitivity: await sensitivityOf(session, keep) }
}

async function ownRules(session: Session): Promise<Methodology['rules']> {
  const own = await definitionsKey(session)
  if (own === null) return []
  const { rows } = await session.query(frameSql('own-rules'))
  const [[dimensions = null] = []] = (await session.query(frameSql('own-dimensions'))).rows
  return [
    ...rows.map(([term, text]) => ({ term: String(term), text: String(text) })),
    ...(dimensions === null ? [] : [{ term: 'Dimensions', text: String(dimensions) }]),
    { term: 'Custom definitions', text: own },
  ]
}

/** The label that `reports/frame/funnel.sql` gives to included incidents. */
export const INCLUDED = 'included'

export function isEmpty(funnel: Methodology['funnel']): boolean {
  return funnel.find(({ label }) => label === INCLUDED)?.count === 0
}

export type StillOpenFacts = Omit<StillOpen, 'gap'> & { gap: Gap | null }

/** Counts open incidents, and incidents that started after the period. See `reports/frame/still-open.sql`. */
export async function stillOpenOf(session: Session, { bound }: OpenFrame): Promise<StillOpenFacts> {
  const [row = {}] = objectsOf(await session.query(frameSql('still-open'), bound))
  const count = (name: string) => Number(row[name])
  const { gap_from: from, gap_to: to } = row
  const [days, perWeek] = [count('gap_days'), count('gap_per_week')]
  return {
    all: count('incidents'),
    critical: count('critical'),
    since: count('since'),
    later: count('later'),
    came: count('came'),
    gap: from === null ? null : { from: String(from), to: to === null ? null : String(to), days, perWeek },
  }
}

async function sensitivityOf(session: Session, keep: OpenFrame['keep']): Promise<RuleFigure[]> {
  await keep('scoped_sensitivity', frameSql('sensitivity'))
  const { rows } = await session.read('scoped_sensitivity')
  return rows.map(([measure, policy, isChosen, n, median, mean]) => ({
    measure: String(measure),
    rule: String(policy),
    isChosen: isChosen === true,
    n: Number(n),
    median: numberOf(median),
    mean: numberOf(mean),
  }))
}
