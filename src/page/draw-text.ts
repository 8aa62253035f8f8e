import { cell, pairOf } from '../judge/figure-values.ts'
import type { Figures, Usual } from '../judge/figures.ts'
import { type FormatContext, format, numberOf, plain } from '../render/format.ts'
import type { Inline, Links, Part, QueryResult, Value } from '../render/result.ts'
import type { Mapping } from '../render/spec.ts'
import type { Tag, Template } from '../report/parse/template.ts'
import { changeOf } from './sentences/change-sentences.ts'

export interface ResolveContext {
  /** Whether the previous period was read in full. */
  comparable: boolean
  context: FormatContext
  results: ReadonlyMap<string, QueryResult>
  figures: Figures
  wholeWeeks: ReadonlySet<string>
  /** The incidents, if there are so few that the report lists them. Otherwise null. */
  few: QueryResult | null
  linksOf(incidents: Mapping | null): Links | null
}

/** Values of tags always become text nodes, never markup. */
export function resolveText(template: readonly Template[], known: ResolveContext): Inline[] {
  return template.map((node): Inline => {
    if (node.kind === 'tag') return resolveTag(node.tag, known)
    return 'content' in node ? { ...node, content: resolveText(node.content, known) } : node
  })
}

function resolveTag({ query, column, as, at }: Tag, known: ResolveContext): Inline {
  const result = known.results.get(query)!
  if (as.kind === 'usual') {
    const usual = known.figures.usual({ query, column, x: 'week', scale: 'linear' })
    return { kind: 'text', text: usualText(usual, known) }
  }
  const pair = pairOf(result, at)
  if (as.kind === 'count')
    return { kind: 'value', parts: countOf(cell(result, pair.now, column), as.of, known) }
  if (as.kind === 'plain') {
    const value = cell(result, pair.now, column)
    // A text can be a whole sentence, so its lines must wrap. An empty text adds nothing.
    if (as.format === 'text' && typeof value === 'string') return { kind: 'text', text: value }
    return { kind: 'value', parts: format(value, as.format, known.context) }
  }
  const { words, tone } = changeOf(
    result,
    column,
    pair,
    as.better,
    known.figures.of({ query, column })!,
    known.context,
  )
  return { kind: 'value', parts: [{ text: words }], tone }
}

function countOf(value: Value, of: string, { context }: ResolveContext): Part[] {
  const parts = format(value, 'number', context)
  return [...parts, { text: `${of}${numberOf(value) === 1 ? '' : 's'}` }]
}

/** With few weeks, returns only the count, because a report with more weeks would show a different range. */
function usualText(usual: Usual | undefined, { context }: ResolveContext): string {
  if (usual === undefined) return 'no full week yet'
  const number = (value: number | null) => plain(format(value, 'number', context))
  const start = `${number(usual.last)} in the last full ${context.bucket ?? 'week'}`
  if (usual.isRare) return `${start}; too few for an expected range`
  if (!usual.range?.judged) return start
  // The chart marks every week outside the range with a ring, so the title must mention these weeks.
  const { outside, direction } = usual
  // Counts are integers, so the text shows the smallest and largest integer inside the limits.
  const range = `${number(usual.least)}\u2060–\u2060${number(usual.most)}`
  if (usual.isInGap) return `${start} (expected: ${range}; data gap)`
  if (direction !== 0) return `${start}, ${direction > 0 ? 'above' : 'below'} the expected range (${range})`
  const others =
    outside === 0 ? '' : `; outside in ${outside} of ${usual.range.points} ${context.bucket ?? 'week'}s`
  return `${start} (expected: ${range}${others})`
}
