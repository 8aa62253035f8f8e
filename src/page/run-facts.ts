import { createHash } from 'node:crypto'
import { valueNow } from '../judge/figure-values.ts'
import { jsonOf, numberOf } from '../render/format.ts'
import type { KpiCard, RunFacts } from '../render/result.ts'
import { cardsOf, type Report } from '../report/parse/parse.ts'
import type { OpenFrame } from '../report/scope/frame.ts'
import { frameNames, frameSql } from '../report/scope/frame-sql.ts'
import type { Session } from '../warehouse/read/session.ts'
import type { ResolveContext } from './draw-text.ts'

/** Returns the stored facts of a run: period, scope, data, and the value and n of each card. */
export async function runFacts(
  session: Session,
  report: Report,
  open: OpenFrame,
  known: ResolveContext,
  cards: readonly KpiCard[],
): Promise<RunFacts> {
  const { frame } = open
  const figures = cardsOf(report).map(({ card: { value, label, format }, at }, index) => ({
    figure: `${value.query}.${value.column}`,
    label,
    format,
    value: numberOf(valueNow(known, value, at)),
    n: cards[index]?.n ?? null,
  }))
  return {
    report: report.name,
    period_from: frame.from,
    period_to: frame.to,
    timezone: frame.timezone,
    account: frame.accounts ?? 'all',
    team: [frame.teams, frame.dimensions ?? []].flat().join(', '),
    severity: frame.severities,
    as_of_at: frame.asOfInstant.toISOString(),
    definition: await definitionKey(session, report),
    figures: figures.filter(
      (each, index) => figures.findIndex(({ figure }) => figure === each.figure) === index,
    ),
  }
}

/**
 * Hashes everything that defines a report’s figures. Figures under different keys may differ without a change of data.
 */
export async function definitionKey(
  session: Session,
  report: Pick<Report, 'pieces'> & {
    readonly queries: readonly { readonly name: string; readonly sql: string }[]
  },
): Promise<string> {
  const chosen = await session.query(frameSql('settings'))
  const parts = [
    ...report.queries.map(({ name, sql }) => `${name}: ${sql}`),
    ...cardsOf(report).map(({ card }) => JSON.stringify(card.value)),
    ...frameNames().map(frameSql),
    ...session.definitions.map(({ body }) => body),
    ...chosen.rows,
  ]
  return createHash('sha256').update(jsonOf(parts)).digest('hex').slice(0, 12)
}
