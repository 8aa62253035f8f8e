import type { Inline, KpiCard } from '../../render/result.ts'
import { led, NAME_MAX, say, withinSentence } from './sentence-parts.ts'

export const NO_COMPARISON = 'No comparison, because data of the previous period is incomplete'
export const NO_CHANGE = 'No significant change'

/** Names a card with a large change that may be chance. */
export function mayBeChance({ label, value, change, link, listBefore }: KpiCard): Inline[] {
  const [now, before] = [
    led({ kind: 'value', parts: value }, link),
    led({ kind: 'value', parts: change?.previous ?? [] }, listBefore),
  ]
  return say`${label}: ${now}, previously ${before}. This may be chance.`
}

/** Puts the report’s own text after a colon, if it has one. */
export const restText = (start: string, rest: readonly Inline[]): readonly Inline[] => [
  { kind: 'text', text: rest.length > 0 ? `${start}: ` : `${start}.` },
  ...rest,
]

/** Names what the folded part of a page contains: up to three short titles. */
export function moreText(titles: readonly string[]): string {
  const named = titles.filter((title) => title.length <= NAME_MAX).slice(0, 3)
  return named.length > 0 ? `More: ${named.map(withinSentence).join(', ')}` : 'More'
}
