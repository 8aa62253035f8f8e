import { countText, type FormatContext, format, plain } from './format.ts'
import { type Child, h, type Markup, table } from './html.ts'
import { basisOf } from './kpi-html.ts'
import { reasonsText } from './restatement-text.ts'
import type {
  Coverage,
  KpiCard,
  Methodology,
  QueryResult,
  ReportResult,
  Restatement,
  RuleFigure,
} from './result.ts'
import { basisText, reachLines, verdictText } from './text.ts'

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
      h('summary', {}, h('h2', {}, 'How these figures are calculated')),
      rulesHtml(result, context),
      h('h3', {}, 'From records read to incidents included'),
      table([], funnel),
      detailsHtml(result),
      reachHtml(result),
      counted.sensitivity && sensitivityHtml(counted.sensitivity, context),
      restated && restatementHtml(restated, context),
      h('h3', {}, `Queries and result files (${name}/)`),
      csv === null ? queries.map(queryHtml) : fileLinks(queries, csv),
    ),
  )
}

function rulesHtml({ counted, coverage, frame, source }: ReportResult, context: FormatContext): Markup {
  const asOf = `data as of ${plain(format(frame.asOf, 'time', context))}, ${frame.timezone}`
  return h(
    'dl',
    {},
    ruleItems(counted.rules),
    h('dt', {}, 'Source'),
    h('dd', {}, `${source} · ${asOf} · ${frame.coverage}`),
    h('dt', {}, 'Coverage'),
    h('dd', {}, coverageText(coverage, context)),
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
    ]
      .filter(Boolean)
      .join('; ')
  return [h('h3', {}, 'Figures in detail'), h('ul', {}, ...kpis.map((card) => h('li', {}, line(card))))]
}

function reachHtml({ kpis }: ReportResult): Child {
  const lines = reachLines(kpis)
  if (lines.length === 0) return null
  return [h('h3', {}, 'Smallest detectable changes'), h('ul', {}, ...lines.map((line) => h('li', {}, line)))]
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

function coverageText({ share, gaps, readAt }: Coverage, context: FormatContext): string {
  if (share === null) return 'unknown: the warehouse has no sync history for this period'
  const time = (text: string) => plain(format(text, 'time', context))
  const missing = gaps.slice(0, 5).map(({ from, to }) => `${time(from)} – ${time(to)}`)
  const more = gaps.length - missing.length
  return [
    `${plain(format(share, 'percent', context))} of the period synced`,
    ...(readAt === null ? [] : [`latest sync ${time(readAt)}`]),
    ...(missing.length > 0 ? [`missing: ${missing.join(', ')}`] : []),
    ...(more > 0 ? [`and ${more} more ${more === 1 ? 'gap' : 'gaps'}`] : []),
  ].join('; ')
}

function sensitivityHtml(figures: readonly RuleFigure[], context: FormatContext): Child {
  const time = (seconds: number | null) => plain(format(seconds, 'duration', context))
  return [
    h('h3', {}, 'The same incidents under alternative definitions'),
    table(
      ['Time', 'Definition', 'n', 'Median'],
      figures.map(({ measure, rule, isChosen, n, median, mean }) => [
        [null, measure],
        [null, isChosen ? h('b', {}, `${rule} (used here)`) : rule],
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
    h('h3', {}, `Changed since the report of ${plain(format(asOf, 'time', context))}`),
    table(
      ['Figure', 'Before', 'Now', 'Reason'],
      figures.map(({ label, before, now, nBefore, nNow, reasons }) => [
        [null, label],
        ['num', `${plain(before)}${n(nBefore)}`],
        ['num', `${plain(now)}${n(nNow)}`],
        [null, reasonsText(reasons)],
      ]),
    ),
    unchanged > 0 && h('p', {}, `${unchanged} ${unchanged === 1 ? 'figure is' : 'figures are'} unchanged.`),
  ]
}

/** Keeps the line breaks of a query, which `h` would replace with spaces. */
export function sqlLines(sql: string): Child {
  return sql.split('\n').map((line, index) => [index > 0 && { html: '\n' }, line])
}
