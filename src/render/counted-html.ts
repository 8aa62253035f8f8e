import { type FormatContext, format, plain } from './format.ts'
import { h, type Markup } from './html.ts'
import type { ReportResult } from './result.ts'

/** The end of a page: rules, what was left out, and the text of every query. */
export function countedHtml(
  { counted, frame, name: report, queries, source }: ReportResult,
  context: FormatContext,
): Markup {
  return h(
    'section',
    { class: 'counted' },
    h('h2', {}, 'How this was counted'),
    h(
      'dl',
      {},
      counted.rules.map(({ term, text }) => [h('dt', {}, term), h('dd', {}, text)]),
      h('dt', {}, 'Source'),
      h(
        'dd',
        {},
        `${source} · data as of ${plain(format(frame.asOf, 'time', context))}, ${frame.timezone} · ${frame.coverage}`,
      ),
    ),
    h('h3', {}, 'From read to counted'),
    h(
      'table',
      {},
      h(
        'tbody',
        {},
        counted.funnel.map(({ label, count }) =>
          h('tr', {}, h('td', {}, label), h('td', { class: 'num' }, plain(format(count, 'number', context)))),
        ),
      ),
    ),
    h('h3', {}, `Queries, and their files in ${report}/`),
    queries.map(({ name, sql, rows }) =>
      h(
        'details',
        {},
        h('summary', {}, `${name} · ${rows.length} ${rows.length === 1 ? 'row' : 'rows'} · ${name}.csv`),
        h('pre', {}, { html: h('code', {}, sqlLines(sql)).html }),
      ),
    ),
  )
}

/** Line breaks of a query are kept; everything else in it is cleaned like any other text. */
function sqlLines(sql: string) {
  return sql.split('\n').flatMap((line, index) => (index === 0 ? [line] : [{ html: '\n' }, line]))
}
