import { z } from 'zod'
import { ReportError } from '../../errors.ts'
import { isCompared, type Verdict } from '../../judge/change-verdict.ts'
import { runReport } from '../../page/run-report.ts'
import { numberOf, plain } from '../../render/format.ts'
import type { QueryResult, ReportResult, Value } from '../../render/result.ts'
import type { Format } from '../../render/spec.ts'
import { version } from '../../version.ts'
import { withHash } from '../receipt.ts'
import type { Answer, Tool } from '../tool.ts'
import { reportFile } from './available-metrics.ts'
import { askedIn, figureContext, filters, optionsOf } from './filters.ts'

const input = z.strictObject({
  metric: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,60}$/, 'expected the name of a metric from `list`')
    .describe('Name of the metric, from `list`.'),
  ...filters,
})

export const figureTool: Tool<typeof input> = {
  name: 'figure',
  title: 'A figure with its uncertainty',
  description:
    'Returns the value of a metric in a period, with n, its 95% CI, the verdict on the change from the previous period, and the rule. ' +
    'Quote n, the interval and what is not available with it. The answer is a receipt that `faultline verify` can recompute.',
  input,
  receipt: true,
  answer: (call, given) =>
    call.readers.use(call.signal, async (sessions) => {
      const options = { ...optionsOf(call, given), text: reportOf(given.metric) }
      try {
        return figureIn(await runReport(reportFile(call.ground), sessions, options), given)
      } catch (error) {
        throw plainly(error)
      }
    }),
}

function reportOf(metric: string): string {
  return `---\ntitle: Figure\n---\n\`\`\`kpi figure\n- { metric: ${metric} }\n\`\`\`\n`
}

/** Removes the file and line from a report error, because the report has no file. */
function plainly(error: unknown): unknown {
  if (!(error instanceof ReportError)) return error
  return new ReportError(error.message, { file: '', line: 0 }, { cause: error, next: error.next ?? '' })
}

function figureIn(result: ReportResult, given: z.output<typeof input>): Answer {
  const { metric } = given
  const [card] = result.kpis
  const [kept] = result.run.figures
  const row = currentRow(result.queries[0]!)
  const said = verdictRow(result)
  const isCount = said.measure === 'count'
  const value = kept!.value
  const n = isCount ? value : (card!.n ?? numberOf(row[`${metric}_n`] ?? row[`${metric}_counted`]))
  const verdict = { code: said.code } as Verdict
  const told = typeof said.code === 'string' && isCompared(verdict)
  return withHash({
    tool: 'figure',
    asked: askedIn(given, result),
    label: card!.label,
    figure: plain(card!.value),
    unit: units[kept!.format] ?? kept!.format,
    value,
    n,
    // Prefers an interval that the metric's own query computes.
    interval: intervalOf(row[`${metric}_low`] ?? said.low, row[`${metric}_high`] ?? said.high),
    ...(value === null && { not_available: whyUnknown(n, numberOf(row[`${metric}_open`])) }),
    previous: numberOf(said.before),
    verdict: told ? said.verdict : `not available: ${whyNot(said.verdict, value)}`,
    change: told
      ? {
          by: numberOf(said.change),
          interval: intervalOf(said.change_low, said.change_high),
          smallest_that_would_show: numberOf(said.could_show),
          at_the_same_mix_of_severities: numberOf(said.change_at_mix),
          words: card!.change?.words,
          reach: card!.change?.reach || undefined,
        }
      : null,
    target: card!.target && { ...card!.target },
    weeks: card!.trend.filter(({ at }) => at < result.frame.to).map(({ at, value }) => [at, value]),
    ...figureContext(result),
    sql: result.queries[0]!.sql,
    version,
  })
}

const units: Partial<Record<Format, string>> = { duration: 'seconds', percent: 'share, 0 to 1' }

function whyNot(verdict: Value | undefined, value: number | null): string {
  if (typeof verdict === 'string') return verdict.replace(/^not compared: /, '')
  return value === null ? 'the figure is not available' : 'this metric has no comparison'
}

function whyUnknown(n: number | null, open: number | null): string {
  if (open !== null && open > (n ?? 0)) return 'most of these incidents are still open'
  return n === null || n === 0 ? 'no such incidents in the period' : `too few (${n})`
}

function intervalOf(
  low: Value | undefined,
  high: Value | undefined,
): readonly [number, number | null] | null {
  const [from, to] = [numberOf(low), numberOf(high)]
  return from === null ? null : [from, to]
}

type Row = Readonly<Record<string, Value | undefined>>

function rowIn({ columns }: Pick<QueryResult, 'columns'>, row: readonly Value[] | undefined): Row {
  return Object.fromEntries(columns.map(({ name }, index) => [name, row?.[index]]))
}

function currentRow(query: QueryResult): Row {
  const period = query.columns.findIndex(({ name }) => name === 'period')
  const current = query.rows.find((row) => row[period] === 'current')
  return rowIn(query, current)
}

const verdictRow = ({ verdicts }: ReportResult) => rowIn(verdicts, verdicts.rows[0])
