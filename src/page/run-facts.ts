import type { Judgement } from '../judge/judge-figures.ts'
import type { RunFacts } from '../render/result.ts'
import type { Answers } from '../report/ask-queries.ts'

/** Returns the facts of a run that are stored, so that later runs can compare their figures. */
export function recordRun({ report, open: { frame }, definition }: Answers, { cards }: Judgement): RunFacts {
  const figures = cards.map(({ body, value, n }) => ({
    figure: `${body.value.query}.${body.value.column}`,
    label: body.label,
    format: body.format,
    value,
    n,
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
    definition,
    figures: figures.filter(
      (each, index) => figures.findIndex(({ figure }) => figure === each.figure) === index,
    ),
  }
}
