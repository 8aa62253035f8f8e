import { type FormatContext, format, numberOf, plain } from '../../render/format.ts'
import type { Change, QueryResult, Tone } from '../../render/result.ts'
import { cell, type Pair } from './figure.ts'
import { type Figure, wording } from './figures.ts'

export type Better = 'lower' | 'higher' | 'neither'

/** What describing a change needs besides the figures. */
export interface ChangeContext {
  /** The previous period lies wholly in the data. */
  comparable: boolean
  context: FormatContext
}

/** The verdict of a period before which nothing was read. */
export const unknownBefore = 'not compared: no earlier data, or not all read'

/** The change of a figure against the previous period, as `figures` judged it, in words and with its meaning. */
export function changeOf(
  result: QueryResult,
  column: string,
  pair: Pair,
  better: Better,
  judged: Figure,
  { comparable, context }: ChangeContext,
): Change {
  const { measure, verdict, direction } = judged
  const words = wording[measure]
  const same = { tone: 'same', direction: 'none', amount: '' } as const
  if (!comparable || !judged.isJudged)
    return {
      ...same,
      verdict: comparable ? verdict : unknownBefore,
      words: `not known to be ${words.either}`,
      note: '',
      previous: null,
    }
  const { now, before } = comparedIn(result, column, pair, judged)
  const previous = format(before, formats[measure], context)
  const note = intervalText(judged, context)
  const amount = now === null || before === null ? '' : amountOf(judged, now - before, context)
  const moved = (word: string) => (amount === '' ? word : `${amount} ${word}`)
  if (direction === 0) {
    const possible = /^possibly (.*)$/.exec(verdict)?.[1]
    const said = possible ? `possibly ${moved(possible)}` : `not clearly ${words.either}`
    return { ...same, verdict, words: said, note, previous }
  }
  const tone: Tone =
    better === 'neither' ? 'same' : direction < 0 === (better === 'lower') ? 'better' : 'worse'
  return {
    tone,
    direction: direction < 0 ? 'down' : 'up',
    amount,
    verdict,
    words: moved(verdict),
    note,
    previous,
  }
}

/**
 * Both sides of a comparison: the figure as it is shown, and what it is compared with, which follows the same rule. Where nothing
 * is compared that is the figure of the previous period.
 */
export function comparedIn(
  result: QueryResult,
  column: string,
  pair: Pair,
  { measure, isJudged, before }: Figure,
) {
  const figureIn = (row: Pair['now']) => numberOf(cell(result, row, column))
  const isCount = measure === 'count'
  // A period in which nothing was counted has no row.
  const now = figureIn(pair.now) ?? (isCount && !pair.now ? 0 : null)
  const isOwn = isJudged && !isCount
  return { now, before: isOwn ? before : (figureIn(pair.before) ?? (isCount ? 0 : null)) }
}

/** How much; where the one before is 0 there is no part, and the difference says it. */
function amountOf({ measure, moved, movedSeconds }: Figure, difference: number, context: FormatContext) {
  if (measure === 'share') return points(moved ?? difference, context)
  if (moved !== null) return plain(format(Math.abs(moved), 'percent', context))
  return plain(format(Math.abs(movedSeconds ?? difference), formats[measure], context))
}

/** `−9 to +33 %`: the 95 % interval. */
function intervalText({ measure, movedInterval }: Figure, context: FormatContext): string {
  if (movedInterval === null) return ''
  const [low, high] = movedInterval
  const signed = (value: number) => {
    // A whole percent is as much as such an interval says, of points the tenths; what is less has a sign all the same.
    const digits = measure === 'share' || Math.abs(value) < 0.01 ? 1_000 : 100
    const size = Math.round(Math.abs(value) * digits) / digits
    const text = measure === 'share' ? points(size, context) : plain(format(size, 'percent', context))
    return `${size === 0 ? '±' : value < 0 ? '−' : '+'}${text}`
  }
  if (high === null) return `at least ${signed(low)}`
  const [from, to] = [signed(low), signed(high)]
  if (from === to && from.startsWith('±')) return `within ±0.1\u202f${measure === 'share' ? 'pp' : '%'}`
  // The unit once is enough.
  return `${from.split('\u202f')[0]} to ${to}`
}

/** Percentage points. */
function points(share: number, context: FormatContext): string {
  return `${plain(format(Math.abs(share) * 100, 'number', context))}\u202fpp`
}

const formats = { duration: 'duration', share: 'percent', count: 'number' } as const
