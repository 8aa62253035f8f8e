import { type BehindHtml, behindHtml } from './behind-html.ts'
import { chartHtml } from './chart-html.ts'
import { chartOf } from './charts/index.ts'
import { countedHtml } from './counted-html.ts'
import { patterns } from './drawing/category.ts'
import { contextOf, type FormatContext } from './format.ts'
import { type Child, h, type Markup, render } from './html.ts'
import { kpisHtml } from './kpi-html.ts'
import { pageHead } from './page-head.ts'
import { restatedText } from './restated.ts'
import type { FindingsBlock } from './result/block-parts.ts'
import type { Frame } from './result/report-frame.ts'
import type { Block, ChartBlock, ReportResult } from './result.ts'
import { factsOf, nothing, shownBlocks } from './summary.ts'
import { ALONE, type PageOptions, tableHtml } from './table-html.ts'
import { inlineHtml, leadParagraphs } from './text.ts'

/** So large a page may get, bytes: lists of incidents end before. */
const PAGE_MOST = 248_000
const COMPACT_MOST = 119_000

/**
 * A report as one HTML file: no script, no network, no inline style. The policy in its head allows nothing but its one
 * style sheet, by hash. The same result gives the same bytes.
 */
export function toHtml(result: ReportResult, options: PageOptions = ALONE): string {
  const { frame, behind = null } = result
  const { csv, isCompact } = options
  const context = contextOf(frame)
  const blocks = shownBlocks(result).filter((block) => !(isCompact && comparesTeams(block)))
  // Drawn once: without lists to see what room is left, and with them.
  const once = (child: Child): Markup => ({ html: render(child) })
  const before = once([
    h('h1', {}, result.title),
    facts(frame),
    banners(result, context),
    result.empty && h('p', { class: 'nothing' }, nothing(result)),
    blocksHtml(blocks, { frame, context, options }),
  ])
  const counted = countedHtml(result, context, csv)
  const page = (lists: BehindHtml | null) => {
    const main = h('main', {}, before, lists?.section, counted)
    const body = h('body', {}, result.blocks.some(isColored) && patterns(), main)
    const head = pageHead(`${result.title} · ${frame.label}`, lists?.style)
    return `<!doctype html>\n${render(h('html', { lang: 'en' }, head, body))}\n`
  }
  if (behind === null || result.empty) return page(null)
  const room = (isCompact ? COMPACT_MOST : PAGE_MOST) - Buffer.byteLength(page(null))
  return page(behindHtml(behind, { room, csv: csv && `${csv}/all_incidents.csv`, context }))
}

/** Above every figure: failed gates, then warnings, then what the last page said otherwise. */
function banners({ gates, warnings, restated }: ReportResult, context: FormatContext): Child {
  const banner = (state: 'error' | 'warn', word: string) =>
    gates
      .filter((gate) => gate.state === state)
      .map(({ message }) =>
        h('p', { class: state === 'error' ? 'banner failed' : 'banner' }, h('b', {}, word), ` ${message}`),
      )
  const changed = restated && restatedText(restated, context)
  return [
    banner('error', 'Failed:'),
    banner('warn', 'Warning:'),
    warnings.map((warning) => h('p', { class: 'banner' }, warning)),
    changed && h('p', { class: 'banner' }, changed),
  ]
}

function facts(frame: Frame): Markup {
  const rest = factsOf(frame).map((text) => h('li', {}, text))
  return h('ul', { class: 'facts' }, h('li', {}, h('b', {}, frame.label), ` (${frame.span})`), rest)
}

/** A chart by team has nothing to say on a page of one team. */
function comparesTeams(block: Block): boolean {
  return block.kind === 'chart' && block.links?.column === 'team'
}

interface Page {
  readonly frame: Frame
  readonly context: FormatContext
  readonly options: PageOptions
}

function blocksHtml(blocks: readonly Block[], page: Page): Child {
  const half = (block: ChartBlock) => chartHtml(block, page.frame, page.context, page.options)
  const children: Child[] = []
  let lead = true
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]!
    const next = blocks[index + 1]
    const isHalf = (one: Block): one is ChartBlock =>
      one.kind === 'chart' && (one.width === 'half' || page.options.isCompact)
    if (isHalf(block) && next && isHalf(next)) {
      children.push(h('div', { class: 'pair' }, half(block), half(next)))
      index++
    } else {
      children.push(blockHtml(block, page, lead && block.kind === 'paragraph'))
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
  return block.kind === 'chart' && chartOf(block.spec).colors?.(block.spec) != null
}

function blockHtml(block: Block, { frame, context, options }: Page, lead: boolean): Child {
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
      return tableHtml(block, context, options)
    case 'chart':
      return chartHtml(block, frame, context, options)
  }
}
