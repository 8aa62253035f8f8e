import { z } from 'zod'
import type { ReportResult } from '../../render/result.ts'
import type { RunOptions } from '../../report/ask-queries.ts'
import type { Call } from '../tool.ts'
import { typed, wrapUntrusted } from '../untrusted-text.ts'

const names = z.array(z.string().min(1).max(400)).min(1).max(50)

/** Parameters of the tools that count incidents. They work like the options of `faultline report`. */
export const filters = {
  period: z
    .string()
    .max(60)
    .default('13 weeks')
    .describe(
      'For example 13 weeks, last month, this quarter, 2026-03, 2026-Q1, 2026-W12, or 2026-01-01..2026-02-01 (end exclusive).',
    ),
  team: names.optional().describe('Team names, from `list` with kind teams. Default: all.'),
  severity: names
    .optional()
    .describe('Critical, Warning, Info, Ok, or another severity of incidents. Default: all.'),
  dimension: names
    .optional()
    .describe('Values of configured dimensions, such as service=checkout, from `list` with kind dimensions.'),
  account: names.optional().describe('Account names, if the warehouse contains several.'),
  timezone: z
    .string()
    .max(60)
    .optional()
    .describe('IANA time zone of days and hours. Default: the configured one.'),
}

/** Values of these parameters. The tool `report` sets no default for `period`, because each report defines its own. */
type Filters = Omit<z.output<z.ZodObject<typeof filters>>, 'period'> & {
  readonly period?: string | undefined
}

export function optionsOf({ ground, timeoutMs, seenFrom }: Call, given: Filters): RunOptions {
  const { period, team, severity, dimension, account, timezone } = given
  return {
    ...{ period, timezone, severity, seenFrom, timeoutMs },
    team: team?.map(typed),
    account: account?.map(typed),
    dimensions: dimension && dimensionsOf(dimension),
    defaultTimezone: ground.timezone,
    lists: false,
  }
}

function dimensionsOf(written: readonly string[]): Record<string, string[]> {
  // Uses a Map, because a user can send a dimension with the name `constructor` or `__proto__`.
  const chosen = new Map<string, string[]>()
  for (const one of written) {
    const [name = '', ...value] = typed(one).split('=')
    chosen.set(name, [...(chosen.get(name) ?? []), typed(value.join('='))])
  }
  return Object.fromEntries(chosen)
}

/** Returns the parameters of a call and the time zone of its answer, so that `faultline verify` can repeat the call. */
export function askedIn(given: Filters, { frame }: ReportResult): Readonly<Record<string, unknown>> {
  const marked = (one: readonly string[] | undefined) => one?.map((name) => wrapUntrusted(typed(name)))
  const { team, dimension, account, ...rest } = given
  return {
    ...rest,
    ...(team && { team: marked(team) }),
    ...(dimension && { dimension: marked(dimension) }),
    ...(account && { account: marked(account) }),
    timezone: frame.timezone,
  }
}

/** Returns the facts that apply to all figures in a result: period, rules, exclusions, coverage and notes. */
export function figureContext(result: ReportResult) {
  const { frame, coverage, counted, gates, warnings, run } = result
  const { from, to, label, previousLabel, timezone } = frame
  return {
    period: { from, to, label, previous: previousLabel, timezone },
    rule: counted.rules,
    left_out: Object.fromEntries(
      counted.funnel.filter(({ count }) => count > 0).map(({ label, count }) => [label, count]),
    ),
    as_of: run.as_of_at,
    coverage: { share: coverage.share, gaps: coverage.gaps, words: frame.coverage },
    notes: [
      ...gates.filter(({ state }) => state !== 'ok').map(({ message }) => wrapUntrusted(message)),
      ...warnings.map((one) => wrapUntrusted(one)),
    ],
    definition: run.definition,
  }
}
