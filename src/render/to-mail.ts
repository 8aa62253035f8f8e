import { dataOf } from './chart-data.ts'
import { contextOf, type FormatContext } from './format.ts'
import { type Child, h, type Markup, render } from './html.ts'
import { dataTable, kpiTable } from './mail-tables.ts'
import { restatedText } from './restatement-text.ts'
import type { Block, ReportResult } from './result.ts'
import { clean, shorten } from './sanitize-text.ts'
import type { TableColumn } from './spec.ts'
import { factsOf, kpiSummary, summaryOf, verdictOf, words } from './summary.ts'
import { inlineHtml, leadParagraphs, safeLink } from './text.ts'
import { toTerminal } from './to-terminal.ts'

/** A report as a mail, without its envelope. */
export interface Mail {
  readonly subject: string
  readonly html: string
  readonly text: string
}

/** Length that mail lists show. */
const SUBJECT_MAX = 90
/** Width that every mail program shows without wrapping. */
const TEXT_WIDTH = 76
const ROWS_MAX = 20
const CHART_ROWS_MAX = 14
const CHART_COLUMNS_MAX = 4

/**
 * Renders a report as a mail with tables and plain text. Small charts become tables, and other charts are omitted.
 * @param link address of the page, if it is published
 * @param picture content id of an attached image of the page’s top
 */
export function toMail(result: ReportResult, link: string | null, picture: string | null = null): Mail {
  const context = contextOf(result.frame)
  const { gates, warnings } = summaryOf(result)
  const { frame } = result
  const restated = result.restated && restatedText(result.restated, context)
  // The cards already name the comparison.
  const [, ...rest] = factsOf(frame)
  const facts = [`${frame.label} (${frame.span})`, ...rest]
  const body = h(
    'div',
    { style: 'max-width:640px;font-family:sans-serif;font-size:15px;line-height:1.5;color:#16181d' },
    h('h1', { style: 'font-size:22px' }, result.title),
    h('p', { style: 'color:#5c6370' }, facts.join(' · ')),
    picture !== null &&
      h('img', {
        src: `cid:${picture}`,
        alt: 'Summary of the report; its figures are repeated below.',
        width: 600,
        style: 'max-width:100%;height:auto',
      }),
    gates.map(({ message }) => banner(message)),
    warnings.map(banner),
    restated !== null && banner(restated),
    result.empty ? h('p', {}, verdictOf(result)) : result.blocks.map((block) => blockHtml(block, context)),
    h(
      'p',
      { style: 'color:#5c6370' },
      'The attached report contains the charts and definitions.',
      link !== null && [' ', safeLink(link, 'Open it in a browser.')],
    ),
  )
  return {
    subject: subjectOf(result),
    html: `<!doctype html>\n${render(
      h('html', { lang: 'en' }, h('head', {}, h('meta', { charset: 'utf-8' })), h('body', {}, body)),
    )}\n`,
    text: `${toTerminal(result, { width: TEXT_WIDTH, color: false })}${link === null ? '' : `\n${link}\n`}`,
  }
}

function subjectOf(result: ReportResult): string {
  const failed = result.gates.filter(({ state }) => state === 'error').length
  const mark = failed === 0 ? '' : `[${failed === 1 ? 'check' : `${failed} checks`} failed] `
  const { findings, verdict } = summaryOf(result)
  const [first = ''] = findings.length > 0 ? findings : verdict.split(/(?<=[.!?])\s+(?=\p{Lu})/u, 1)
  const start = `${mark}${clean(result.title)}, ${words(result.frame.label)}`
  const subject = `${start}${first === '' ? '' : `: ${first.replace(/\.$/, '')}`}`
  return shorten(subject, SUBJECT_MAX)
}

function banner(message: string): Markup {
  return h('p', { style: 'padding:8px 12px;border-left:3px solid #8a5a00;background:#f4f4f0' }, message)
}

function blockHtml(block: Block, context: FormatContext): Child {
  switch (block.kind) {
    case 'heading':
      return h(block.level <= 2 ? 'h2' : 'h3', { style: 'font-size:17px' }, inlineHtml(block.content))
    case 'paragraph':
      return h('p', {}, inlineHtml(block.content))
    case 'findings':
      return leadParagraphs(block).map((each) => h('p', {}, inlineHtml(each)))
    case 'list':
      return h(
        block.ordered ? 'ol' : 'ul',
        {},
        block.items.map((item) => h('li', {}, inlineHtml(item))),
      )
    case 'kpis':
      return kpiTable(block.cards.map(kpiSummary))
    case 'table':
      return [
        title(inlineHtml(block.title)),
        block.data.rows.length === 0
          ? h('p', {}, block.empty)
          : dataTable(block.data, narrow(block.columns), Math.min(block.limit, ROWS_MAX), context),
      ]
    case 'chart': {
      const { data, columns } = dataOf(block)
      return [
        title(inlineHtml(block.title)),
        data.rows.length > 0 && data.rows.length <= CHART_ROWS_MAX && columns.length <= CHART_COLUMNS_MAX
          ? dataTable(data, columns, CHART_ROWS_MAX, context)
          : h('p', { style: 'color:#5c6370' }, 'See the chart in the attached report.'),
      ]
    }
  }
}

/** Omits the columns that are hidden on phones, because many people read mail there. */
function narrow(columns: readonly TableColumn[]): TableColumn[] {
  return columns.filter(({ priority }) => priority === 1)
}

function title(content: Child): Markup {
  return h('p', { style: 'margin-bottom:4px' }, h('b', {}, content))
}
