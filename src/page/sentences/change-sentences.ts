import { type Better, toneOf } from '../../judge/card-figures.ts'
import { directionOf, isCompared } from '../../judge/change-verdict.ts'
import { comparedIn, type Pair } from '../../judge/figure-values.ts'
import type { Figure } from '../../judge/figures.ts'
import { countText, type FormatContext, format, plain } from '../../render/format.ts'
import type { Change, QueryResult } from '../../render/result.ts'
import { mixWords, points, reachWords, verdictWords } from './verdict-sentences.ts'

export function changeOf(
  result: QueryResult,
  column: string,
  pair: Pair,
  better: Better,
  judged: Figure,
  context: FormatContext,
): Change {
  const { measure, verdict, basis } = judged
  const said = verdictWords(verdict, measure, context)
  const same = { tone: 'same', direction: 'none', amount: '', verdict: said } as const
  if (!isCompared(verdict)) return { ...same, words: said, note: '', previous: null }
  const { now, before } = comparedIn(result, column, pair, judged)
  const amount = now === null || before === null ? '' : amountOf(judged, now, before, context)
  // Times in whole hours, for example: the median stays the same although many times change.
  const areTied = measure === 'duration' && judged.movedInterval?.every((end) => Math.abs(end ?? 1) < 0.0005)
  const shown = {
    ...(measure === 'count' && before === 0 ? { isFromNone: true } : {}),
    words: verdictWords(verdict, measure, context, amount),
    note: areTied ? '' : intervalText(judged, context),
    previous: format(before, formats[measure], context),
    mix: basis ? mixWords(verdict, basis, context) : '',
    reach: areTied
      ? 'many times are equal, so the median hides small changes'
      : basis
        ? reachWords(verdict, measure, basis, context)
        : '',
  }
  const direction = directionOf(verdict)
  if (direction === 0) return { ...same, ...shown }
  const tone = toneOf(judged, better)
  return { ...shown, tone, direction: direction < 0 ? 'down' : 'up', amount, verdict: said }
}

/** Names a previous count without a verdict. */
export function previousCount(before: number): Change {
  const said = `previously ${countText(before)}`
  return { tone: 'same', direction: 'none', amount: '', verdict: said, words: said, note: '', previous: null }
}

/**
 * Returns the size of a change: a percentage, or the difference if the previous value was 0. The percentage of a count
 * agrees with the two counts, although the test compares daily rates. Months differ in length.
 */
function amountOf(
  { measure, moved, movedSeconds }: Figure,
  now: number,
  before: number,
  context: FormatContext,
) {
  const difference = now - before
  if (measure === 'share') return points(moved ?? difference, context)
  if (moved !== null) {
    const isCounted = measure === 'count' && before > 0 && Math.sign(difference) === Math.sign(moved)
    return plain(format(Math.abs(isCounted ? difference / before : moved), 'percent', context))
  }
  return plain(format(Math.abs(movedSeconds ?? difference), formats[measure], context))
}

function intervalText({ measure, movedInterval }: Figure, context: FormatContext): string {
  if (movedInterval === null) return ''
  const [low, high] = movedInterval
  const signed = (value: number) => {
    // Whole percentages are precise enough. Small values and percentage points get one decimal.
    const digits = measure === 'share' || Math.abs(value) < 0.01 ? 1_000 : 100
    const size = Math.round(Math.abs(value) * digits) / digits
    const text = measure === 'share' ? points(size, context) : plain(format(size, 'percent', context))
    return `${size === 0 ? '±' : value < 0 ? '−' : '+'}${text}`
  }
  if (high === null) return `at least ${signed(low)}`
  const [from, to] = [signed(low), signed(high)]
  if (from === to && from.startsWith('±')) return `within ±0.1${measure === 'share' ? '\u00a0points' : '%'}`
  // Writes the unit only once.
  return `${from.replace(/%$|\u00a0points?$/, '')} to ${to}`
}

const formats = { duration: 'duration', share: 'percent', count: 'number' } as const
