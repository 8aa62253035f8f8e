import { plain } from './format.ts'
import type { Change } from './result.ts'

const arrows = { up: '▲ ', down: '▼ ', none: '' } as const

/** What is said of a change, on page, terminal and mail alike: `about the same`, `▲ 12 % slower, worse`, `too few to compare`. */
export function verdictText({
  direction,
  amount,
  verdict,
  tone,
}: Pick<Change, 'direction' | 'amount' | 'verdict' | 'tone'>): string {
  // The last word repeats what the colour says, for those who cannot see it.
  return `${arrows[direction]}${amount && `${amount} `}${verdict}${tone === 'same' ? '' : `, ${tone}`}`
}

/** What it rests on: `before 32 min (−14 to +32 %)`; empty when nothing is compared. */
export function basisText({ previous, note }: Pick<Change, 'previous' | 'note'>): string {
  return previous === null ? '' : `before ${plain(previous)}${note && ` (${note})`}`
}
