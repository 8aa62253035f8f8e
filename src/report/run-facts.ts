import { numberOf } from '../render/format.ts'
import type { KpiCard, RunFacts } from '../render/result.ts'
import type { Session } from '../warehouse/reader.ts'
import { definitionKey } from './definition-key.ts'
import { cell, pairOf } from './figure.ts'
import type { OpenFrame } from './frame.ts'
import type { Report } from './parse.ts'
import type { Evidence } from './resolve-text.ts'

/** What the ledger keeps of this run: its period, scope and data, and the value and n of every card, once each. */
export async function runFacts(
  session: Session,
  report: Report,
  open: OpenFrame,
  evidence: Evidence,
  cards: readonly KpiCard[],
): Promise<RunFacts> {
  const { frame } = open
  const { rows } = await session.query('select max(run_id) from sync_runs where finished_at is not null')
  const bodies = report.pieces.flatMap((piece) =>
    piece.kind === 'kpis' ? piece.cards.map((card) => ({ card, at: piece.at })) : [],
  )
  const figures = bodies.map(({ card: { value, label, format }, at }, index) => {
    const result = evidence.results.get(value.query)!
    return {
      figure: `${value.query}.${value.column}`,
      label,
      format,
      value: numberOf(cell(result, pairOf(result, at).now, value.column)),
      n: cards[index]?.n ?? null,
    }
  })
  return {
    report: report.name,
    period_from: frame.from,
    period_to: frame.to,
    timezone: frame.timezone,
    account: frame.accounts ?? 'all',
    team: frame.teams,
    severity: frame.severities,
    as_of_at: frame.asOfInstant.toISOString(),
    sync_run_id: rows[0]?.[0] == null ? null : Number(rows[0][0]),
    definition: await definitionKey(session, report),
    figures: figures.filter(
      (each, index) => figures.findIndex(({ figure }) => figure === each.figure) === index,
    ),
  }
}
