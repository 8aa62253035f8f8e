import { periodsOf } from '../page/sentences/period-sentences.ts'
import { restatedText } from '../page/sentences/restatement-sentences.ts'
import { emptyText } from '../page/sentences/summary-sentences.ts'
import { columnsRead } from './chart-data.ts'
import { chartHtml } from './chart-html.ts'
import { chartOf } from './charts/index.ts'
import { patterns } from './drawing/category.ts'
import { contextOf, type FormatContext } from './format.ts'
import { type Child, h, type Markup } from './html.ts'
import { kpisHtml } from './kpi-html.ts'
import { listAddress } from './list-page.ts'
import { countedHtml } from './methodology-html.ts'
import { page } from './page-head.ts'
import type { Block, ChartBlock, FindingsBlock, Frame, Inline, Links, ReportResult } from './result.ts'
import { shorten } from './sanitize-text.ts'
import { contents, siteHtml, skipLink } from './site-html.ts'
import { ALL_TEAMS, factsOf, shownBlocks } from './summary.ts'
import { ALONE, type PageOptions, tableHtml } from './table-html.ts'
import { inlineHtml, inlineText, leadParagraphs } from './text.ts'

/** Renders a report as a file without scripts or network access. Equal results give identical files. */
export function toHtml(result: ReportResult, options: PageOptions = ALONE): string {
  const { frame } = result
  const { csv, lists, isCompact, site = null } = options
  const context = contextOf(frame)
  const blocks = (isCompact ? withoutTeams(shownBlocks(result)) : shownBlocks(result)).map((block) =>
    addressed(block, lists),
  )
  const title = titleOf(result)
  const sections = new Map(blocks.filter(isSection).map((block, index) => [block, `s${index + 1}`]))
  const main = h(
    'main',
    { id: 'main', 'data-explore': result.lists?.filter },
    h('h1', {}, title),
    facts(frame),
    contents([...sections].map(([block, id]) => ({ id, text: inlineText(block.content) }))),
    banners(result, context),
    result.empty && h('p', { class: 'nothing' }, emptyText(result.stillOpen, result.coverage)),
    blocksHtml(blocks, { frame, context, options, sections }),
    countedHtml(result, context, csv),
  )
  const body = [skipLink, siteHtml(site), result.blocks.some(isColored) && patterns(), main]
  return page(body, `${title} · ${periodsOf(frame)[0]}`)
}

function titleOf({ title, frame }: ReportResult): string {
  const chosen = [frame.teams === ALL_TEAMS ? [] : frame.teams, frame.dimensions ?? []].flat()
  return [...chosen.map((one) => shorten(one, 60)), title].join(' · ')
}

type Heading = Extract<Block, { kind: 'heading' }>

const isSection = (block: Block): block is Heading => block.kind === 'heading' && block.level <= 2

function addressed(block: Block, folder: string | null): Block {
  const at = (links: Links): Links =>
    new Map(folder === null ? [] : [...links].map(([row, id]) => [row, listAddress(folder, id)]))
  const text = (nodes: readonly Inline[]) => nodes.map((node) => numberAt(node, folder))
  if (block.kind === 'chart')
    return { ...block, title: text(block.title), links: block.links ? at(block.links) : null }
  if (block.kind === 'table') {
    const links = new Map([...(block.links ?? [])].map(([column, own]) => [column, at(own)]))
    return { ...block, title: text(block.title), links }
  }
  if (block.kind === 'findings') {
    const lines = block.lines.map((line) => ({ ...line, text: text(line.text) }))
    const { opening, also, open } = block
    return { ...block, opening: text(opening), lines, also: text(also), open: text(open) }
  }
  if (block.kind !== 'kpis') return block
  const cards = block.cards.map((card) => ({
    ...card,
    link: folder !== null && card.link ? listAddress(folder, card.link) : null,
  }))
  return { ...block, cards }
}

function numberAt(node: Inline, folder: string | null): Inline {
  if (node.kind !== 'value' || folder === null || !node.list) return node
  return { ...node, href: listAddress(folder, node.list) }
}

function banners({ gates, warnings, restated }: ReportResult, context: FormatContext): Child {
  const banner = (state: 'error' | 'warn', word: string) =>
    gates
      .filter((gate) => gate.state === state && !gate.isInLead)
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
  const [period, ...rest] = [...periodsOf(frame), ...factsOf(frame)]
  const items = rest.map((text) => h('li', {}, text))
  return h('ul', { class: 'facts' }, h('li', {}, h('b', {}, period)), items)
}

/** Removes the charts that compare teams, and then the headings without content. */
function withoutTeams(blocks: readonly Block[]): Block[] {
  const comparesTeams = (block: Block) =>
    block.kind === 'chart' && columnsRead(block.spec).all.includes('team')
  return blocks
    .filter((block) => !comparesTeams(block))
    .filter(
      (block, index, kept) => !isSection(block) || (index + 1 < kept.length && !isSection(kept[index + 1]!)),
    )
}

interface Page {
  readonly frame: Frame
  readonly context: FormatContext
  readonly options: PageOptions
  /** The HTML anchor of each section. */
  readonly sections: ReadonlyMap<Block, string>
}

function blocksHtml(blocks: readonly Block[], page: Page): Child {
  const start = blocks.findIndex((block) => block.kind === 'heading' && block.folded)
  const head = blocks[start]
  if (head?.kind !== 'heading') return rowsHtml(blocks, page)
  const rest = blocks.slice(start + 1)
  const length = rest.findIndex((block) => block.kind === 'heading' && block.level <= head.level)
  const inside = length < 0 ? rest : rest.slice(0, length)
  const summary = h('summary', {}, sectionHtml(head, page))
  const folded = h('details', { class: 'fold' }, summary, rowsHtml(inside, page))
  return [rowsHtml(blocks.slice(0, start), page), folded, blocksHtml(rest.slice(inside.length), page)]
}

function rowsHtml(blocks: readonly Block[], page: Page): Child {
  const half = (block: ChartBlock) => chartHtml(block, page.frame, page.context, page.options)
  const isHalf = (one: Block): one is ChartBlock =>
    one.kind === 'chart' && (one.width === 'half' || page.options.isCompact)
  const children: Child[] = []
  let lead = true
  let isUnder = false
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]!
    const next = blocks[index + 1]
    // Headings of charts and tables need a higher heading above them. Short pages get a hidden one.
    if (!isUnder && (block.kind === 'chart' || block.kind === 'table'))
      children.push(h('h2', { class: 'unseen' }, 'Figures'))
    isUnder ||= isSection(block) || block.kind === 'chart' || block.kind === 'table'
    if (isHalf(block) && next && isHalf(next)) {
      children.push(h('div', { class: 'pair' }, half(block), half(next)))
      index++
    } else if (isSection(block)) {
      children.push(sectionHtml(block, page))
    } else if (isHalf(block)) {
      const options = { ...page.options, isCompact: false }
      children.push(chartHtml({ ...block, width: 'full' }, page.frame, page.context, options))
    } else {
      children.push(blockHtml(block, page, lead && block.kind === 'paragraph'))
    }
    if (block.kind !== 'heading') lead = false
  }
  return children
}

function sectionHtml(block: Heading, { sections }: Pick<Page, 'sections'>): Markup {
  return h('h2', { id: sections.get(block) }, inlineHtml(block.content))
}

function leadHtml(block: FindingsBlock): Child {
  const lines = block.lines.map(({ text, section }) => [
    inlineHtml(text),
    section !== null &&
      h('a', { class: 'proof', href: `#${section}`, 'aria-label': 'go to the chart or table' }, '↓'),
    ' ',
  ])
  const [said, ...others] = leadParagraphs(block)
  const open = inlineText(block.open)
  const isUrgent = (text: string) => open !== '' && text.endsWith(open)
  return h(
    'div',
    { class: 'lead' },
    h(
      'p',
      {},
      lines.length > 0
        ? [inlineHtml(block.opening), block.opening.length > 0 && ' ', lines, inlineHtml(block.also)]
        : inlineHtml(said ?? []),
    ),
    others.map((each) => h('p', { class: isUrgent(inlineText(each)) ? 'urgent' : null }, inlineHtml(each))),
  )
}

/** Colored areas need patterns, so that they can be told apart in grayscale print. */
function isColored(block: Block): boolean {
  return block.kind === 'chart' && chartOf(block.spec).colors?.(block.spec) != null
}

function blockHtml(block: Block, { frame, context, options }: Page, lead: boolean): Child {
  switch (block.kind) {
    case 'heading':
      return h('h3', {}, inlineHtml(block.content))
    case 'paragraph':
      return h('p', { class: lead ? 'lead' : null }, inlineHtml(block.content))
    case 'findings':
      return leadHtml(block)
    case 'list':
      return h(block.ordered ? 'ol' : 'ul', {}, ...block.items.map((item) => h('li', {}, inlineHtml(item))))
    case 'kpis':
      return kpisHtml(block.cards, frame)
    case 'table':
      return tableHtml(block, context, options)
    case 'chart':
      return chartHtml(block, frame, context, options)
  }
}
