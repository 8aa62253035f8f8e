import { numberOf } from '../../render/format.ts'
import { isCompared } from '../judge.ts'
import { type Tag, type Template, tagsOf } from '../parse/template.ts'
import { cell, pairOf } from './figure.ts'
import type { ResolveContext } from './resolve-text.ts'

/** Of fewer a share is no figure to build a sentence on; as of durations that are compared, see `sql/statistics/duration-changes.sql`. */
export const LEAST = 8

/** Whether every figure of a text is known. */
export function isKnown(template: readonly Template[], known: ResolveContext): boolean {
  return tagsOf(template).every((tag) => isThere(tag, known))
}

/** The same of a title, which does not say either that something is compared with nothing. */
export function isTitleKnown(template: readonly Template[], known: ResolveContext): boolean {
  const isChange = ({ as }: Tag) => as.kind === 'change'
  const changes = tagsOf(template).filter(isChange)
  return isKnown(template, known) && changes.every((tag) => isCompared(known.figures.of(tag)!.verdict))
}

/** Whether there is a value, and where it is a share of something that is counted beside it (`share_n`), of 8 or more. */
function isThere({ query, column, as, at }: Tag, known: ResolveContext): boolean {
  if (as.kind === 'usual' || as.kind === 'change') return true
  const result = known.results.get(query)!
  const { now } = pairOf(result, at)
  if (cell(result, now, column) === null) return false
  const n = as.kind === 'plain' && as.format === 'percent' ? numberOf(cell(result, now, `${column}_n`)) : null
  return n === null || n >= LEAST
}

/**
 * A text without the parts that would be made of dashes: what stands in parentheses, up to a semicolon, or up to a full stop and has
 * a figure that is not known. Empty where no figure is left of those it had.
 */
export function knownParts(template: readonly Template[], known: ResolveContext): Template[] {
  if (isKnown(template, known)) return [...template]
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
  /** What stands before the next one: `; `, or the space after a full stop; empty at the end. */
  end: string
}

const text = (words: string): Template => ({ kind: 'text', text: words })

/** The parts of a text, each already without what is not known in parentheses. */
function partsOf(template: readonly Template[], known: ResolveContext): Part[] {
  const parts: Part[] = [{ nodes: [], end: '' }]
  let group: Template[] | null = null
  const put = (...nodes: Template[]) => (group ?? parts.at(-1)!.nodes).push(...nodes)
  const close = () => {
    const closed = group
    group = null
    if (closed !== null && isKnown(closed, known)) put(...closed)
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
  // One that is never closed is none.
  if (group !== null) parts.at(-1)!.nodes.push(...(group as Template[]))
  return parts
}
