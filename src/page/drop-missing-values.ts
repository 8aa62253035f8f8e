import { LEAST } from '../judge/card-figures.ts'
import { isCompared } from '../judge/change-verdict.ts'
import { cell, pairOf } from '../judge/figure-values.ts'
import { numberOf } from '../render/format.ts'
import { type Tag, type Template, tagsOf } from '../report/parse/template.ts'
import type { ResolveContext } from './draw-text.ts'

export function isKnown(template: readonly Template[], known: ResolveContext): boolean {
  return tagsOf(template).every((tag) => isThere(tag, known))
}

/** Like `isKnown`, but also false if the text mentions a change for which nothing was compared. */
export function isTitleKnown(template: readonly Template[], known: ResolveContext): boolean {
  const isChange = ({ as }: Tag) => as.kind === 'change'
  const changes = tagsOf(template).filter(isChange)
  return isKnown(template, known) && changes.every((tag) => isCompared(known.figures.of(tag)!.verdict))
}

/**
 * Checks whether a value exists and was not produced by a machine. A median, and a share with a sample size
 * (`share_n`), need at least 8 incidents.
 */
function isThere({ query, column, as, at }: Tag, known: ResolveContext): boolean {
  if (as.kind === 'usual' || as.kind === 'change') return true
  const result = known.results.get(query)!
  const { now } = pairOf(result, at)
  if (cell(result, now, column) === null) return false
  const figure = known.figures.of({ query, column })
  if (figure?.verdict.code === 'machine' || figure?.verdict.code === 'timer') return false
  if (as.kind !== 'plain') return true
  // The size is 0 if it is unknown.
  const n = as.format === 'percent' ? numberOf(cell(result, now, `${column}_n`)) : figure?.n || null
  return n === null || n >= LEAST
}

/** Removes parts with unknown figures. A part is in parentheses, or ends with a semicolon or full stop. */
export function knownParts(template: readonly Template[], known: ResolveContext): Template[] {
  if (isTitleKnown(template, known)) return [...template]
  const parts = partsOf(template, known)
  const kept = parts.filter(({ nodes }) => isKnown(nodes, known))
  if (tagsOf(kept.flatMap(({ nodes }) => nodes)).length === 0) return []
  const last = kept.at(-1)!
  return kept.flatMap((part) => [
    ...part.nodes,
    ...(part === last ? (part.end === '; ' ? [text('.')] : []) : [text(part.end)]),
  ])
}

interface Part {
  nodes: Template[]
  /** Separator before the next part: `; `, or the space after a full stop. Empty at the end. */
  end: string
}

const text = (words: string): Template => ({ kind: 'text', text: words })

function partsOf(template: readonly Template[], known: ResolveContext): Part[] {
  const parts: Part[] = [{ nodes: [], end: '' }]
  let group: Template[] | null = null
  const put = (...nodes: Template[]) => (group ?? parts.at(-1)!.nodes).push(...nodes)
  const close = () => {
    const closed = group
    group = null
    if (closed !== null && isTitleKnown(closed, known)) put(...closed)
  }
  const pieces = template.flatMap((node) =>
    node.kind === 'text'
      ? node.text
          .split(/( \(|\)|; |(?<=[.!?]) )/)
          .filter(Boolean)
          .map(text)
      : [node],
  )
  for (const node of pieces) {
    const sign = node.kind === 'text' ? node.text : ''
    if (sign === ' (' && group === null) group = [node]
    else if (sign === ')' && group !== null) {
      put(node)
      close()
    } else if ((sign === '; ' || sign === ' ') && group === null) {
      parts.at(-1)!.end = sign
      parts.push({ nodes: [], end: '' })
    } else put(node)
  }
  // If a parenthesis is never closed, it is ordinary text.
  if (group !== null) parts.at(-1)!.nodes.push(...(group as Template[]))
  return parts
}
