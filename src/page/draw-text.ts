import { cell, pairOf } from '../judge/figure-values.ts'
import type { Figures } from '../judge/figures.ts'
import { type FormatContext, format, numberOf } from '../render/format.ts'
import type { Inline, Links, Part, QueryResult, Value } from '../render/result.ts'
import type { Mapping } from '../render/spec.ts'
import type { Tag, Template } from '../report/parse/template.ts'
import { changeOf } from './sentences/change-sentences.ts'
import { usualText } from './sentences/verdict-sentences.ts'

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
    return { kind: 'text', text: usualText(usual, known.context) }
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
