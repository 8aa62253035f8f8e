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
  // A period in which nothing was counted has no row.
  const figureIn = (row: Pair['now']) =>
    numberOf(cell(result, row, column)) ?? (measure === 'count' ? 0 : null)
  const [now, before] = [figureIn(pair.now), figureIn(pair.before)]
  const same = { tone: 'same', direction: 'none', amount: '' } as const
  if (!comparable || now === null || before === null) {
    const note = comparable ? 'nothing to compare with' : 'no earlier data, or not all read'
    return { ...same, words: `not known to be ${words.either}`, note, previous: null }
  }
  // What is compared may not be what is shown: a period that is still being closed is held against one just as fresh.
  const [stood, stoodBefore] = judged.reason === null && judged.stood ? judged.stood : [now, before]
  const previous = format(stoodBefore, formats[measure], context)
  const asItStood = plain(format(stood, formats[measure], context))
  const differs = asItStood !== plain(format(now, formats[measure], context))
  const note = [
    ...(differs ? [`${asItStood} when both were as old`] : []),
    judged.reason ?? intervalText(judged, context),
  ]
    .filter((text) => text !== '')
    .join('; ')
  if (direction === 0) return { ...same, words: `not clearly ${words.either}`, note, previous }
  const tone: Tone =
    better === 'neither' ? 'same' : direction < 0 === (better === 'lower') ? 'better' : 'worse'
  const amount = amountOf(judged, stood - stoodBefore, context)
  return {
    tone,
    direction: direction < 0 ? 'down' : 'up',
    amount,
    words: `${amount} ${direction < 0 ? words.less : words.more}`,
    note,
    previous,
  }
}

/** How much; where the one before is 0 there is no part, and the difference says it. */
function amountOf({ measure, moved, movedSeconds }: Figure, difference: number, context: FormatContext) {
  if (measure === 'share') return points(moved ?? difference, context)
  if (moved !== null) return plain(format(Math.abs(moved), 'percent', context))
  return plain(format(Math.abs(movedSeconds ?? difference), formats[measure], context))
}

/** `between −9 % and +33 %`, with 95 % confidence. */
function intervalText({ measure, movedInterval }: Figure, context: FormatContext): string {
  if (movedInterval === null) return ''
  const [low, high] = movedInterval
  const signed = (value: number) => {
    // A whole percent is as much as such an interval says; of points the tenths.
    const size = Math.round(Math.abs(value) * (measure === 'share' ? 1_000 : 100))
    const sign = size === 0 ? '±' : value < 0 ? '−' : '+'
    const text =
      measure === 'share' ? points(size / 1_000, context) : plain(format(size / 100, 'percent', context))
    return `${sign}${text}`
  }
  return high === null ? `at least ${signed(low)}` : `between ${signed(low)} and ${signed(high)}`
}

/** Percentage points. */
function points(share: number, context: FormatContext): string {
  return `${plain(format(Math.abs(share) * 100, 'number', context))}\u202fpp`
}

/** A change in a word. */
export const wording = {
  duration: { less: 'faster', more: 'slower', either: 'faster or slower' },
  share: { less: 'lower', more: 'higher', either: 'lower or higher' },
  count: { less: 'fewer', more: 'more', either: 'fewer or more' },
} as const

const formats = { duration: 'duration', share: 'percent', count: 'number' } as const
