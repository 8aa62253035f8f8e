import { plain } from '../../render/format.ts'
import type { Inline, KpiCard } from '../../render/result.ts'

export const NO_COMPARISON = 'No comparison, because data of the previous period is incomplete'
export const NO_CHANGE = 'No significant change'

/** Names a card with a large change that may be chance. */
export const mayBeChance = ({ label, value, change }: KpiCard) =>
  `${label}: ${plain(value)}, previously ${plain(change?.previous ?? [])}. This may be chance`

/** Puts the report’s own text after a colon, if it has one. */
export const restText = (start: string, rest: readonly Inline[]): readonly Inline[] => [
  { kind: 'text', text: rest.length > 0 ? `${start}: ` : `${start}.` },
  ...rest,
]
