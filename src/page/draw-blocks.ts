import { valueNow } from '../judge/figure-values.ts'
import { cellsOf } from '../render/cells.ts'
import { usualSeries } from '../render/charts/index.ts'
import { formatOf, numberOf } from '../render/format.ts'
import type {
  Block,
  ChartBlock,
  Inline,
  KpiCard,
  Links,
  QueryResult,
  TableBlock,
  Value,
} from '../render/result.ts'
import { columnOf, type TableColumn } from '../render/spec.ts'
import { capital, inlineText } from '../render/text.ts'
import type { FindingTopic, KpiBody, TableBody } from '../report/parse/block-schema.ts'
import type { BlockSource } from '../report/parse/block-source.ts'
import type { Report } from '../report/parse/parse.ts'
import type { Template } from '../report/parse/template.ts'
import { resolveCompare } from './draw-comparison.ts'
import { type ResolveContext, resolveText } from './draw-text.ts'
import { isTitleKnown, knownParts } from './drop-missing-values.ts'
import { listInstead, withoutCardText } from './few-incidents.ts'
import type { SaidFindings } from './findings-block.ts'
import { NOT_COMPARED } from './sentences/period-sentences.ts'
import { teamLead } from './team-findings.ts'

export function drawBlocks(
  report: Report,
  known: ResolveContext,
  cards: ReadonlyMap<KpiBody[number], KpiCard>,
  findings: SaidFindings | null,
): Block[] {
  const proven = new Set<FindingTopic>()
  const given = known.few ? withoutCardText(report.pieces) : report.pieces
  const pieces = given.flatMap((piece): Report['pieces'] => {
    if (piece.kind !== 'paragraph') return [piece]
    const content = knownParts(piece.content, known)
    return content.length > 0 ? [{ ...piece, content }] : []
  })
  const blocks = pieces.map((piece): Block => {
    if (piece.kind === 'heading' || piece.kind === 'paragraph') {
      return { ...piece, content: resolveText(piece.content, known) }
    }
    if (piece.kind === 'list') {
      return {
        ...piece,
        items: piece.items.flatMap((item) => {
          const said = knownParts(item, known)
          return said.length > 0 ? [resolveText(said, known)] : []
        }),
      }
    }
    if (piece.kind === 'kpis') {
      return { kind: 'kpis', cards: piece.cards.map((card) => cards.get(card)!) }
    }
    if (piece.kind === 'findings') return teamLead(report, known, findings!)
    if (piece.kind === 'compare') return resolveCompare(piece, known)
    const block = piece.kind === 'chart' ? resolveChart(piece, known) : resolveTable(piece, known)
    // Findings link to the first block on their topic.
    const topics = piece.body.finding.filter((topic) => !proven.has(topic))
    const [section] = topics
    if (section === undefined) return block
    for (const topic of topics) proven.add(topic)
    const headline = topics.map((topic) => findings?.headlineOf(topic, piece.body)).find(Boolean)
    // A block without a title stays without one, because the heading above it serves as its title.
    if (!headline || block.title.length === 0) return { ...block, section }
    // The original title becomes the subtitle, unless the block already has one.
    return {
      ...block,
      title: [{ kind: 'text', text: headline }],
      subtitle: block.subtitle.length > 0 ? block.subtitle : block.title,
      section,
    }
  })
  // Omits empty tables without an `empty` text, and control charts that are empty or repeat an earlier chart.
  const shown = blocks.filter(
    (block, index) =>
      (block.kind !== 'table' || block.data.rows.length > 0 || block.empty !== '') &&
      !hasNoUsual(block) &&
      !blocks.slice(0, index).some((other) => areTwins(block, other)),
  )
  const written = report.pieces.flatMap((piece) =>
    piece.kind === 'heading' ? [isAboveNothing(piece, report.pieces)] : [],
  )
  const few = known.few ? listInstead(shown, known.few) : shown
  return withoutDeadLinks(withoutEmpty(few, written))
}

/** Removes the links of findings to blocks that were omitted. */
function withoutDeadLinks(blocks: readonly Block[]): Block[] {
  const sections = new Set(blocks.map((block) => ('section' in block ? block.section : undefined)))
  const linked = (section: string | null) => (section !== null && sections.has(section) ? section : null)
  return blocks.map((block) =>
    block.kind === 'findings'
      ? { ...block, lines: block.lines.map((line) => ({ ...line, section: linked(line.section) })) }
      : block,
  )
}

type Level = { readonly kind: string; readonly level?: number }

function isAboveNothing(heading: Level, all: readonly Level[]): boolean {
  const next = all[all.indexOf(heading) + 1]
  return next === undefined || (next.kind === 'heading' && next.level! <= heading.level!)
}

/** Removes headings whose content was omitted. `written` marks headings without content in the source. */
function withoutEmpty(blocks: readonly Block[], written: readonly boolean[]): Block[] {
  const places = new Map(
    blocks.filter(({ kind }) => kind === 'heading').map((block, place) => [block, place]),
  )
  const kept: Block[] = []
  // Starts at the end, so that a heading is also removed if all headings below it were removed.
  for (const block of blocks.toReversed()) {
    const place = places.get(block)
    const isEmpty =
      place !== undefined && !written[place] && isAboveNothing(block, [block, ...kept.slice(-1)])
    if (!isEmpty) kept.push(block)
  }
  return kept.reverse()
}

/** Checks whether a chart needs an expected range but has no values, for example for a severity without incidents. */
function hasNoUsual(block: Block): boolean {
  const usual = block.kind === 'chart' && block.data.rows.length > 0 && usualSeries(block.spec)
  if (!usual || block.kind !== 'chart') return false
  const { value } = cellsOf(block.data)
  return block.data.rows.every((row) => value(row, usual.column) === null)
}

/** Checks whether two charts show the same series, for example if all incidents are Critical. */
function areTwins(one: Block, other: Block): boolean {
  if (one.kind !== 'chart' || other.kind !== 'chart') return false
  if (one.spec.type !== other.spec.type || one.data !== other.data) return false
  const [usual, otherUsual] = [usualSeries(one.spec), usualSeries(other.spec)]
  if (!usual || !otherUsual) return false
  const { value } = cellsOf(one.data)
  return one.data.rows.every((row) => value(row, usual.column) === value(row, otherUsual.column))
}

function titleOf(texts: readonly Template[][], known: ResolveContext): Inline[] {
  return resolveText(texts.find((one) => isTitleKnown(one, known)) ?? texts.at(-1) ?? [], known)
}

function resolveChart(piece: Extract<BlockSource, { kind: 'chart' }>, known: ResolveContext): ChartBlock {
  const { body } = piece
  const rules = body.rules.flatMap((rule) => {
    const value = numberOf(valueNow(known, rule, piece.at))
    return value === null ? [] : [{ label: rule.column.replaceAll('_', ' '), value }]
  })
  const data = onePerPeriod(known.results.get(body.data)!)
  const series = usualSeries(body)
  const usual = series && known.figures.usual({ query: body.data, ...series })
  return {
    kind: 'chart',
    title: titleOf(piece.title, known),
    subtitle: resolveText(piece.subtitle, known),
    width: body.width,
    spec: body,
    data,
    rules,
    usual: usual?.range ?? null,
    links: known.linksOf(body.incidents),
  }
}

/** A week that is split between two periods has rows of both. A chart shows only those of the current period. */
function onePerPeriod(data: QueryResult): QueryResult {
  const known = drawn.get(data)
  if (known) return known
  const { text } = cellsOf(data)
  if (!data.columns.some(({ name }) => name === 'week')) return data
  const isCurrent = (row: readonly Value[]) => text(row, 'period') === 'current'
  const current = new Set(data.rows.filter(isCurrent).map((row) => text(row, 'week')))
  const rows = data.rows.filter((row) => isCurrent(row) || !current.has(text(row, 'week')))
  const found = rows.length === data.rows.length ? data : { ...data, rows }
  drawn.set(data, found)
  return found
}

/** Caches results, so that charts of the same query share one object. */
const drawn = new WeakMap<QueryResult, QueryResult>()

function resolveTable(piece: Extract<BlockSource, { kind: 'table' }>, known: ResolveContext): TableBlock {
  const data = known.results.get(piece.body.data)!
  const columns = tableColumns(piece.body, data)
  const read = known.comparable ? columns : columns.filter(({ column }) => !isBefore(column))
  const subtitle = resolveText(piece.subtitle, known)
  return {
    kind: 'table',
    title: titleOf(piece.title, known),
    // If the previous period was not read, omits the columns about it and says so in the subtitle.
    subtitle:
      read.length === columns.length
        ? subtitle
        : [...subtitle, { kind: 'text', text: notCompared(inlineText(subtitle)) }],
    columns: read,
    data,
    empty: inlineText(titleOf(piece.empty, known)),
    limit: piece.body.limit,
    links: tableLinks(piece.body, columns, known),
  }
}

function notCompared(before: string): string {
  const words = `${capital(NOT_COMPARED)}.`
  return before === '' ? words : `${before.endsWith('.') ? '' : '.'} ${words}`
}

/** Returns the links of table columns. Links set for the whole table apply to the column that names the row. */
function tableLinks(
  { incidents }: TableBody,
  columns: readonly TableColumn[],
  { linksOf }: ResolveContext,
): ReadonlyMap<string, Links> {
  const cells = Object.values(incidents ?? {})
  const named = columns.find(({ column }) => cells.includes(column)) ?? columns[0]
  return new Map(
    columns.flatMap((one): [string, Links][] => {
      const links = linksOf(one.incidents) ?? (one === named ? linksOf(incidents) : null)
      return links ? [[one.column, links]] : []
    }),
  )
}

function tableColumns(body: TableBody, { columns, rows }: QueryResult): TableColumn[] {
  const { value } = cellsOf({ columns })
  const isSaid = (name: string) => rows.length === 0 || rows.some((row) => (value(row, name) ?? '') !== '')
  const chosen = body.columns ?? columns.map(({ name }) => columnOf(name))
  return chosen
    .filter(({ column, priority }) => priority === 1 || isSaid(column))
    .map((each) => ({
      ...each,
      label: each.label ?? labelOf(each.column),
      format: each.format ?? formatOf(columns.find(({ name }) => name === each.column)?.type ?? ''),
    }))
}

/** Matches columns of the previous period, such as `before` and `share_before`. */
const isBefore = (name: string) => /(^|_)before$/.test(name)

/** Converts `time_to_ack` to `Time to ack`, for example. Statistics such as n and p90 stay lowercase. */
function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  if (/^(n|p\d+)$/.test(words)) return words
  return capital(words)
}
