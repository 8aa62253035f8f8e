import { type FormatContext, format, numberOf, plain } from '../../render/format.ts'
import type { Inline, Links, Part, QueryResult, Value } from '../../render/result.ts'
import type { Mapping } from '../../render/spec.ts'
import type { Tag, Template } from '../parse/template.ts'
import { changeOf } from './change.ts'
import { cell, pairOf } from './figure.ts'
import type { Figures, Usual } from './figures.ts'

/** What resolving a block needs: results by name, and their figures. */
export interface ResolveContext {
  /** The previous period lies wholly in the data, and was read. */
  comparable: boolean
  context: FormatContext
  results: ReadonlyMap<string, QueryResult>
  figures: Figures
  /** Weeks that are over and wholly covered, as local dates. */
  wholeWeeks: ReadonlySet<string>
  /** Which lists of incidents the rows of a block lead to, by what it says of them. */
  linksOf(incidents: Mapping | null): Links | null
}

/** Puts values where the tags stand. A value is always a text node, whatever it holds. */
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
    // Text may be a whole sentence: it breaks over lines, and an empty one adds nothing. A missing value is a dash.
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

/** `1 incident`, `2 incidents`; of several words the last is the one that is counted. */
function countOf(value: Value, of: string, { context }: ResolveContext): Part[] {
  const parts = format(value, 'number', context)
  return [...parts, { text: `${of}${numberOf(value) === 1 ? '' : 's'}` }]
}

/**
 * `31 in the last whole week; usual 18–41, nothing unusual`, from all whole weeks of a query with a week column. With too few
 * to judge only the count: another report with more weeks would call another range usual for the same week.
 */
function usualText(usual: Usual | undefined, { context }: ResolveContext): string {
  if (usual === undefined) return 'no whole week yet'
  const number = (value: number | null) => plain(format(value, 'number', context))
  const start = `${number(usual.last)} in the last whole ${context.bucket ?? 'week'}`
  if (usual.isRare) return `${start}; too rare to say what is usual`
  if (!usual.range?.judged) return start
  // The drawing rings every week outside: a headline that speaks of the last one alone would deny it.
  const { outside, direction } = usual
  const others =
    outside === 0
      ? 'nothing unusual'
      : `${outside} of ${usual.range.points} ${context.bucket ?? 'week'}s outside`
  const verdict = { '1': 'unusually many', '-1': 'unusually few', '0': others }[direction]
  // Counts are whole: what lies inside the limits is what a reader may see in a usual week.
  return `${start}; usual ${number(usual.least)}\u2060–\u2060${number(usual.most)}, ${verdict}`
}
