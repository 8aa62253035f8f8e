import type { Span } from './slice.ts'

/** Spans in order of time, with those that touch or overlap made one. */
export function union(spans: readonly Span[]): Span[] {
  const joined: Span[] = []
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last && span.start <= last.end)
      joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
    else joined.push(span)
  }
  return joined
}

/** What is left of `whole` without `parts`, in order of time. */
export function subtract(whole: Span, parts: readonly Span[]): Span[] {
  const left: Span[] = []
  let from = whole.start
  for (const part of union(parts)) {
    if (part.end <= from) continue
    if (part.start >= whole.end) break
    if (part.start > from) left.push({ start: from, end: part.start })
    from = Math.max(from, part.end)
  }
  if (from < whole.end) left.push({ start: from, end: whole.end })
  return left
}

/**
 * Cuts a span into pieces of equal length, none longer than `maxSeconds`, and into `atLeast` pieces where they do
 * not get shorter than `minSeconds` by it. Neighbours share their boundary second.
 */
export function cut(span: Span, limits: { maxSeconds: number; minSeconds: number; atLeast: number }): Span[] {
  const length = span.end - span.start
  if (length <= 0) return []
  const fewest = Math.ceil(length / limits.maxSeconds)
  const most = Math.max(1, Math.floor(length / limits.minSeconds))
  const count = Math.max(fewest, Math.min(limits.atLeast, most))
  const edge = (index: number) => span.start + Math.floor((length * index) / count)
  return Array.from({ length: count }, (_, index) => ({ start: edge(index), end: edge(index + 1) }))
}
