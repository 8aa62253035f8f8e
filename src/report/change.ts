import { type FormatContext, format, numberOf, plain } from '../render/format.ts'
import type { Change, QueryResult, Tone } from '../render/result.ts'
import { cell, type Pair, sample } from './figure.ts'
import { countRatio } from './statistics/count-ratio.ts'
import { logMoments, meanRatio, smallestDetectableFall } from './statistics/mean-ratio.ts'
import { shareDifference } from './statistics/share-difference.ts'

export type Better = 'lower' | 'higher' | 'neither'

/** What a figure is decides how its change is judged. */
export type Measure = 'duration' | 'share' | 'count'

/** Names of the columns that stand beside a figure: `ttr_sample` for durations, `ttr_n` for shares. */
export function measureOf(
  columns: readonly { name: string; type: string }[],
  column: string,
): Measure | null {
  const has = (name: string) => columns.some((each) => each.name === name)
  if (has(`${column}_sample`)) return 'duration'
  if (has(`${column}_n`)) return 'share'
  const type = columns.find((each) => each.name === column)?.type ?? ''
  return /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?)$/.test(type) ? 'count' : null
}

/** What judging needs to know besides the figures. */
export interface Ground {
  comparable: boolean
  dispersion: number
  context: FormatContext
}

interface Move {
  /** +1 and -1 when the 95 % interval leaves out "the same", else 0. */
  sign: -1 | 0 | 1
  /** Now over before, or now minus before for shares. */
  amount: string
  note: string
}

/**
 * The change of a figure against the previous period. A duration is judged by the ratio of geometric means, a share by
 * the interval of the difference, a count by the ratio of counts, widened by how much weeks differ anyway.
 */
export function changeOf(
  result: QueryResult,
  column: string,
  pair: Pair,
  better: Better,
  ground: Ground,
): Change {
  const measure = measureOf(result.columns, column) ?? 'count'
  const now = numberOf(cell(result, pair.now, column))
  const before = numberOf(cell(result, pair.before, column))
  const words = wording[measure]
  if (!ground.comparable || now === null || before === null) {
    const note = ground.comparable ? 'nothing to compare with' : 'no earlier data'
    return {
      tone: 'same',
      direction: 'none',
      amount: '',
      words: `not known to be ${words.either}`,
      note,
      previous: null,
    }
  }
  const move = judge[measure](now, before, { result, column, pair, ground })
  const previous = format(cell(result, pair.before, column), formats[measure], ground.context)
  if (move.sign === 0) {
    return {
      tone: 'same',
      direction: 'none',
      amount: '',
      words: `not detectably ${words.either}`,
      note: move.note,
      previous,
    }
  }
  const tone: Tone =
    better === 'neither' ? 'same' : move.sign < 0 === (better === 'lower') ? 'better' : 'worse'
  const word = move.sign < 0 ? words.less : words.more
  return {
    tone,
    direction: move.sign < 0 ? 'down' : 'up',
    amount: move.amount,
    words: `${move.amount} ${word}`,
    note: '',
    previous,
  }
}

const wording = {
  duration: { less: 'faster', more: 'slower', either: 'faster or slower' },
  share: { less: 'lower', more: 'higher', either: 'lower or higher' },
  count: { less: 'fewer', more: 'more', either: 'fewer or more' },
} as const

const formats = { duration: 'duration', share: 'percent', count: 'number' } as const

interface Evidence {
  result: QueryResult
  column: string
  pair: Pair
  ground: Ground
}

const judge: Record<Measure, (now: number, before: number, evidence: Evidence) => Move> = {
  duration(now, before, { result, column, pair, ground }) {
    const [a, b] = [pair.now, pair.before].map((row) =>
      logMoments(sample(cell(result, row, `${column}_sample`))),
    )
    const ratio = meanRatio(a!, b!)
    const fall = smallestDetectableFall(a!, b!)
    const sign = signOf(ratio, 1)
    // Where the shown figures moved the other way than the values as a whole, neither is a finding.
    if (ratio && sign === Math.sign(now - before))
      return { sign, amount: relative(now / before, ground), note: '' }
    return {
      sign: 0,
      amount: '',
      note: fall === null ? 'too few to compare' : `a fall under ${share(fall, ground)} would not show`,
    }
  },
  share(now, before, { result, column, pair, ground }) {
    const [n, m] = [pair.now, pair.before].map((row) => Number(cell(result, row, `${column}_n`) ?? 0))
    const difference = shareDifference({ successes: now * n!, n: n! }, { successes: before * m!, n: m! })
    const points = `${plain(format(Math.abs(now - before) * 100, 'number', ground.context))}\u202fpp`
    return {
      sign: signOf(difference && { low: difference[0], high: difference[1] }, 0),
      amount: points,
      note: '',
    }
  },
  count(now, before, { ground }) {
    const ratio = countRatio(now, before, ground.dispersion)
    return { sign: signOf(ratio, 1), amount: relative(now / before, ground), note: '' }
  },
}

function signOf(interval: { low: number; high: number } | null, same: number): -1 | 0 | 1 {
  if (!interval) return 0
  return interval.low > same ? 1 : interval.high < same ? -1 : 0
}

function relative(ratio: number, ground: Ground): string {
  return share(Math.abs(ratio - 1), ground)
}

function share(value: number, { context }: Ground): string {
  return plain(format(value, 'percent', context))
}
