import { type FormatContext, format, numberOf, plain } from '../../render/format.ts'
import type { Change, QueryResult, Tone } from '../../render/result.ts'
import { cell, type Pair } from './figure.ts'
import type { Figure } from './figures.ts'

export type Better = 'lower' | 'higher' | 'neither'

/** What describing a change needs besides the figures. */
export interface ChangeContext {
  /** The previous period lies wholly in the data. */
  comparable: boolean
  context: FormatContext
}

/** The change of a figure against the previous period, as `figures` judged it, in words and with its meaning. */
export function changeOf(
  result: QueryResult,
  column: string,
  pair: Pair,
  better: Better,
  judged: Figure,
  { comparable, context }: ChangeContext,
): Change {
  const { measure, direction } = judged
  const words = wording[measure]
  const before = cell(result, pair.before, column)
  const same = { tone: 'same', direction: 'none', amount: '' } as const
  const isKnown = numberOf(cell(result, pair.now, column)) !== null && numberOf(before) !== null
  if (!comparable || !isKnown) {
    const note = comparable ? 'nothing to compare with' : 'no earlier data'
    return { ...same, words: `not known to be ${words.either}`, note, previous: null }
  }
  const previous = format(before, formats[measure], context)
  if (direction === 0) {
    return { ...same, words: `not clearly ${words.either}`, note: noteOf(judged, context), previous }
  }
  const tone: Tone =
    better === 'neither' ? 'same' : direction < 0 === (better === 'lower') ? 'better' : 'worse'
  const amount =
    measure === 'share'
      ? `${plain(format(judged.moved === null ? null : judged.moved * 100, 'number', context))}\u202fpp`
      : share(judged.moved, context)
  return {
    tone,
    direction: direction < 0 ? 'down' : 'up',
    amount,
    words: `${amount} ${direction < 0 ? words.less : words.more}`,
    note: '',
    previous,
  }
}

/** Only a duration says how large a change would have had to be. */
function noteOf({ measure, smallestFall }: Figure, context: FormatContext): string {
  if (measure !== 'duration') return ''
  return smallestFall === null
    ? 'too few to compare'
    : `too little data to see a change under ${share(smallestFall, context)}`
}

const wording = {
  duration: { less: 'faster', more: 'slower', either: 'faster or slower' },
  share: { less: 'lower', more: 'higher', either: 'lower or higher' },
  count: { less: 'fewer', more: 'more', either: 'fewer or more' },
} as const

const formats = { duration: 'duration', share: 'percent', count: 'number' } as const

function share(value: number | null, context: FormatContext): string {
  return plain(format(value, 'percent', context))
}
