import { basisText, verdictText } from '../page/sentences/card-sentences.ts'
import {
  ALTERNATIVES,
  definitionWords,
  FUNNEL,
  METHODOLOGY,
  missingText,
} from '../page/sentences/methodology-sentences.ts'
import { dataAsOf } from '../page/sentences/period-sentences.ts'
import { changedSince, reasonsText, unchangedText } from '../page/sentences/restatement-sentences.ts'
import { countText, type FormatContext, format, plain } from './format.ts'
import { type Child, h, type Markup, table } from './html.ts'
import { basisOf } from './kpi-html.ts'
import type { KpiCard, Methodology, QueryResult, ReportResult, Restatement, RuleFigure } from './result.ts'

export function countedHtml(result: ReportResult, context: FormatContext, csv: string | null): Markup {
  const { counted, name, queries, restated } = result
  const funnel = counted.funnel.map(
    ({ label, count }) =>
      [
        [null, label],
        ['num', countText(count)],
      ] as const,
  )
  return h(
    'section',
    { class: 'counted' },
    h(
      'details',
      {},
      h('summary', {}, h('h2', {}, METHODOLOGY)),
      rulesHtml(result, context),
      h('h3', {}, FUNNEL),
      table([], funnel),
      detailsHtml(result),
      counted.sensitivity && sensitivityHtml(counted.sensitivity, context),
      restated && restatementHtml(restated, context),
      h('h3', {}, `Queries and result files (${name}/)`),
      csv === null ? queries.map(queryHtml) : fileLinks(queries, csv),
    ),
  )
}

function rulesHtml({ counted, coverage, frame, source }: ReportResult, context: FormatContext): Markup {
  const asOf = `${dataAsOf(plain(format(frame.asOf, 'time', context)))}, ${frame.timezone}`
  return h(
    'dl',
    {},
    ruleItems(counted.rules),
    h('dt', {}, 'Source'),
    h('dd', {}, `${source} · ${asOf}`),
    h('dt', {}, 'Coverage'),
    h('dd', {}, `${frame.coverage}${missingText(coverage, context)}`),
  )
}

export function ruleItems(rules: Methodology['rules']): Child {
  return rules.map(({ term, text }) => [h('dt', {}, term), h('dd', {}, text)])
}

/** Lists the details of each card, because the cards themselves show them only on hover and focus. */
function detailsHtml({ kpis }: ReportResult): Child {
  if (kpis.length === 0) return null
  const line = (card: KpiCard) =>
    [
      `${card.label}: ${[plain(card.value), ...basisOf(card)].join(' ')}`,
      card.change && [verdictText(card.change), basisText(card.change)].filter(Boolean).join(', '),
      card.change?.mix,
      card.change?.reach,
    ]
      .filter(Boolean)
      .join('; ')
  return [h('h3', {}, 'Figures in detail'), h('ul', {}, ...kpis.map((card) => h('li', {}, line(card))))]
}

function queryHtml(query: QueryResult): Markup {
  return h(
    'details',
    {},
    h('summary', {}, `${query.name} · ${rowsOf(query)} · ${query.name}.csv`),
    h('pre', {}, h('code', {}, sqlLines(query.sql))),
  )
}

function fileLinks(queries: readonly QueryResult[], csv: string): Markup {
  return h(
    'p',
    {},
    'Query text: ',
    h('a', { href: `${csv}/queries.sql` }, 'queries.sql'),
    '. Results: ',
    queries.map((query, index) => [
      index > 0 && ', ',
      h('a', { href: `${csv}/${query.name}.csv` }, `${query.name}.csv`),
      ` (${rowsOf(query)})`,
    ]),
  )
}

function rowsOf({ rows }: QueryResult): string {
  return `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`
}

function sensitivityHtml(figures: readonly RuleFigure[], context: FormatContext): Child {
  const time = (seconds: number | null) => plain(format(seconds, 'duration', context))
  return [
    h('h3', {}, ALTERNATIVES),
    table(
      ['Time', 'Definition', 'n', 'Median'],
      figures.map(({ measure, rule, isChosen, n, median, mean }) => [
        [null, definitionWords(measure)],
        [null, isChosen ? h('b', {}, `${definitionWords(rule)} (used here)`) : definitionWords(rule)],
        ['num', countText(n)],
        ['num', time(median)],
        ['num later', time(mean)],
      ]),
      ['Mean'],
    ),
  ]
}

function restatementHtml({ asOf, figures, unchanged }: Restatement, context: FormatContext): Child {
  const n = (count: number | null) => (count === null ? '' : ` (n ${countText(count)})`)
  return [
    h('h3', {}, changedSince(asOf, context)),
    table(
      ['Figure', 'Before', 'Now', 'Reason'],
      figures.map(({ label, before, now, nBefore, nNow, reasons }) => [
        [null, label],
        ['num', `${plain(before)}${n(nBefore)}`],
        ['num', `${plain(now)}${n(nNow)}`],
        [null, reasonsText(reasons)],
      ]),
    ),
    unchanged > 0 && h('p', {}, unchangedText(unchanged)),
  ]
}

/** Keeps the line breaks of a query, which `h` would replace with spaces. */
export function sqlLines(sql: string): Child {
  return sql.split('\n').map((line, index) => [index > 0 && { html: '\n' }, line])
}
