import { patterns } from './chart/category.ts'
import { chartHtml } from './chart-html.ts'
import { countedHtml } from './counted-html.ts'
import { contextOf, type FormatContext, format, plain } from './format.ts'
import { type Child, h, type Markup, render } from './html.ts'
import { kpisHtml } from './kpi-html.ts'
import { pageHead } from './page-head.ts'
import type { Block, ChartBlock, FindingsBlock, Frame, ReportResult } from './result.ts'
import { nothing, shownBlocks } from './summary.ts'
import { tableHtml } from './table-html.ts'
import { inlineHtml, leadParagraphs } from './text.ts'

/**
 * A report as one HTML file: no script, no network, no inline style. The policy in its head allows nothing but its one
 * style sheet, by hash. The same result gives the same bytes.
 */
export function toHtml(result: ReportResult): string {
  const context = contextOf(result.frame)
  const head = pageHead(`${result.title} · ${result.frame.label}`)
  const body = h(
    'body',
    {},
    result.blocks.some(isColored) && patterns(),
    h(
      'main',
      {},
      h('h1', {}, result.title),
      facts(result.frame, context),
      banners(result),
      result.empty && h('p', { class: 'nothing' }, nothing(result)),
      blocksHtml(shownBlocks(result), result.frame, context),
      countedHtml(result, context),
    ),
  )
  return `<!doctype html>\n${render(h('html', { lang: 'en' }, head, body))}\n`
}

/** Above every figure: failed gates, then warnings. */
function banners({ gates, warnings }: ReportResult): Child {
  const banner = (state: 'error' | 'warn', word: string) =>
    gates
      .filter((gate) => gate.state === state)
      .map(({ message }) =>
        h('p', { class: state === 'error' ? 'banner failed' : 'banner' }, h('b', {}, word), ` ${message}`),
      )
  return [
    banner('error', 'Failed:'),
    banner('warn', 'Warning:'),
    warnings.map((warning) => h('p', { class: 'banner' }, warning)),
  ]
}

/** Period, comparison, scope, zone and coverage. */
function facts(frame: Frame, context: FormatContext): Markup {
  return h(
    'ul',
    { class: 'facts' },
    h('li', {}, h('b', {}, frame.label), ` (${frame.span})`),
    h(
      'li',
      {},
      frame.previousLabel === null
        ? 'no earlier data to compare with, or not all read'
        : `compared with ${frame.previousLabel}`,
    ),
    frame.accounts !== null && h('li', {}, frame.accounts),
    h('li', {}, frame.teams),
    frame.severities !== 'All severities' && h('li', {}, frame.severities),
    h('li', {}, frame.timezone),
    h('li', {}, `data as of ${plain(format(frame.asOf, 'time', { ...context, year: '' }))}`),
    h('li', {}, frame.coverage),
  )
}

function blocksHtml(blocks: readonly Block[], frame: Frame, context: FormatContext): Child {
  const children: Child[] = []
  let lead = true
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]!
    const next = blocks[index + 1]
    if (isHalf(block) && next && isHalf(next)) {
      children.push(
        h('div', { class: 'pair' }, chartHtml(block, frame, context), chartHtml(next, frame, context)),
      )
      index++
    } else {
      children.push(blockHtml(block, frame, context, lead && block.kind === 'paragraph'))
    }
    if (block.kind !== 'heading') lead = false
  }
  return children
}

/** The findings, each with a link to what proves it, then the rest and what to do. */
function leadHtml(block: FindingsBlock): Child {
  const lines = block.lines.map(({ text, section }) => [
    inlineHtml(text),
    section !== null &&
      h('a', { class: 'proof', href: `#${section}`, 'aria-label': 'where this is shown' }, '↓'),
    ' ',
  ])
  const [said, ...others] = leadParagraphs(block)
  return h(
    'div',
    { class: 'lead' },
    h('p', {}, lines.length > 0 ? [lines, inlineHtml(block.also)] : inlineHtml(said ?? [])),
    others.map((each) => h('p', {}, inlineHtml(each))),
  )
}

/** Whether areas differ by colour, so that the page needs patterns for greyscale print. */
function isColored(block: Block): boolean {
  return block.kind === 'chart' && block.spec.type === 'columns' && block.spec.color !== null
}

function isHalf(block: Block): block is ChartBlock {
  return block.kind === 'chart' && block.width === 'half'
}

function blockHtml(block: Block, frame: Frame, context: FormatContext, lead: boolean): Child {
  switch (block.kind) {
    case 'heading':
      return h(block.level <= 2 ? 'h2' : 'h3', {}, inlineHtml(block.content))
    case 'paragraph':
      return h('p', { class: lead ? 'lead' : null }, inlineHtml(block.content))
    case 'findings':
      return leadHtml(block)
    case 'list':
      return h(
        block.ordered ? 'ol' : 'ul',
        {},
        block.items.map((item) => h('li', {}, inlineHtml(item))),
      )
    case 'kpis':
      return kpisHtml(block.cards, frame)
    case 'table':
      return tableHtml(block, context)
    case 'chart':
      return chartHtml(block, frame, context)
  }
}
