import { LEAST } from '../judge/card-figures.ts'
import { cellsOf } from '../render/cells.ts'
import type { Block, ChartBlock, KpiCard, QueryResult, TableBlock } from '../render/result.ts'
import { columnSpec, type TableColumn } from '../render/spec.ts'
import { inlineText } from '../render/text.ts'
import type { Report } from '../report/parse/parse.ts'
import { tagsOf } from '../report/parse/template.ts'
import { frameSql } from '../report/scope/frame-sql.ts'
import type { Session } from '../warehouse/read/session.ts'
import { moreText } from './sentences/lead-sentences.ts'
import { incidentsText } from './sentences/subject-sentences.ts'

/**
 * A report lists the incidents of a period if they are fewer, because this is too few for statistics. It then shows
 * counts over time as the only charts, and omits percentages and intervals.
 */
export const FEW = 20
const CARDS = 3

/** Returns the incidents of the period if they are listed, and otherwise null. */
export async function fewIncidents(
  session: Session,
  { front, pieces }: Report,
  count: number,
): Promise<QueryResult | null> {
  const isJudged = pieces.some(({ kind }) => kind === 'findings') && !front.about_open
  if (!isJudged || count === 0 || count >= FEW) return null
  const sql = frameSql('few-incidents')
  return { name: 'few_incidents', sql, ...(await session.query(sql)) }
}

/** Removes paragraphs about the figures of cards, such as how a median was computed. */
export function withoutCardText(pieces: Report['pieces']): Report['pieces'] {
  const ofCards = new Set(
    pieces.flatMap((piece) => (piece.kind === 'kpis' ? piece.cards.map(({ value }) => value.query) : [])),
  )
  return pieces.filter(
    (piece) => piece.kind !== 'paragraph' || !tagsOf(piece.content).some(({ query }) => ofCards.has(query)),
  )
}

/** Replaces what is computed from too few incidents by their list. Empty headings remain. */
export function listInstead(blocks: readonly Block[], listed: QueryResult): Block[] {
  const list = listOf(listed)
  const cards = blocks.flatMap((block) => (block.kind === 'kpis' ? block.cards : []))
  const shown = cards.filter(isKnown).slice(0, CARDS)
  // Teams that need attention come first.
  const ofTeams = blocks.find((block) => block.kind === 'table' && block.columns.some((one) => one.findings))
  return blocks.flatMap((block, place): Block[] => {
    const kept = keptOf(block)
    if (block.kind === 'findings') {
      const figures: Block[] = shown.length > 0 ? [{ kind: 'kpis', cards: shown }] : []
      return [block, ...figures, ...(ofTeams ? [] : [list])]
    }
    if (block.kind === 'heading' && block.folded)
      return [{ ...block, content: [{ kind: 'text', text: moreText(titlesBelow(blocks, place)) }] }]
    // A heading belongs to the block below it.
    const below = blocks[place + 1]
    if (block.kind === 'heading') return below && keptOf(below).length === 0 ? [] : kept
    return block === ofTeams ? [...kept, list] : kept
  })
}

/** Returns the block without statistics. Empty if nothing is left. */
function keptOf(block: Block): Block[] {
  if (block.kind === 'kpis') return []
  if (block.kind === 'chart') return isCount(block) ? [block] : []
  if (block.kind !== 'table') return [block]
  if (block.data.rows.length === 0) return []
  const columns = block.columns.filter(({ format, interval }) => format !== 'percent' && !interval)
  if (columns.length === block.columns.length) return [block]
  return columns.length > 1 ? [{ ...block, columns, subtitle: [] }] : []
}

/** Returns the titles of the tables and charts that remain below a heading. */
function titlesBelow(blocks: readonly Block[], place: number): string[] {
  const below = blocks.slice(place + 1)
  const end = below.findIndex((block) => block.kind === 'heading')
  return below
    .slice(0, end < 0 ? undefined : end)
    .flatMap(keptOf)
    .map((block) => ('title' in block ? inlineText(block.title) : ''))
    .filter((title) => title !== '')
}

/** A card with a median or a share needs at least 8 incidents. The sample size of a count is null. */
const isKnown = ({ n }: KpiCard) => n === null || n >= LEAST

/** Whether a chart counts incidents in at least three columns. */
function isCount({ spec, data }: ChartBlock): boolean {
  if (spec.type !== 'columns' || spec.facet !== null) return false
  const { text } = cellsOf(data)
  return new Set(data.rows.map((row) => text(row, spec.x))).size > 2
}

function listOf(data: QueryResult): TableBlock {
  return {
    kind: 'table',
    title: [{ kind: 'text', text: incidentsText(data.rows.length) }],
    subtitle: [],
    columns: COLUMNS,
    data,
    empty: '',
    limit: FEW,
  }
}

const COLUMNS = [
  { column: 'severity', label: 'Severity', format: 'text', badge: true },
  { column: 'title', label: 'Title', format: 'text', wrap: true, link: 'detail_url' },
  { column: 'team', label: 'Team', format: 'text', priority: 2 },
  { column: 'start_time', label: 'Started', format: 'time' },
  { column: 'state', label: 'State', format: 'text', priority: 2 },
  { column: 'time_to_ack_s', label: 'Time to acknowledge', format: 'duration', priority: 2 },
  { column: 'lasted_s', label: 'Duration', format: 'duration', open: 'is_open' },
].map((column) => columnSpec.parse(column) as TableColumn)
