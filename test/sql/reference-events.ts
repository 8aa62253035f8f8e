import { dispersedP, dispersedZ, shareDispersion, weekDispersion } from './reference-changes.ts'
import { durationChange, type Observation, scoresOf } from './reference-duration-changes.ts'
import { groupsOf } from './reference-groups.ts'
import { wilson } from './reference-statistics.ts'
import { twoSided } from './reference-student.ts'

export interface Beside {
  team: string
  isTouched: boolean
  week: number
  seconds: number
  isOpen: boolean
}

const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0)
const mean = (values: readonly number[]) => sum(values) / values.length

/** The inverse of a small matrix, by elimination. */
function inverse(matrix: readonly (readonly number[])[]): number[][] {
  const size = matrix.length
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))])
  for (let i = 0; i < size; i++) {
    const at = rows.findIndex((row, k) => k >= i && Math.abs(row[i]!) > 1e-12)
    ;[rows[i], rows[at]] = [rows[at]!, rows[i]!]
    const pivot = rows[i]![i]!
    rows[i] = rows[i]!.map((value) => value / pivot)
    for (let k = 0; k < size; k++) {
      const times = rows[k]![i]!
      if (k !== i) rows[k] = rows[k]!.map((value, j) => value - times * rows[i]![j]!)
    }
  }
  return rows.map((row) => row.slice(size))
}

interface WeekFigure {
  week: number
  y: number
  noise: number
}

/** The last coefficient of a least-squares fit, and its p. */
function coefficient(weeks: readonly WeekFigure[], columns: (week: number) => number[]) {
  const x = weeks.map(({ week }) => columns(week))
  const size = x[0]!.length
  const square = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) => sum(x.map((row) => row[i]! * row[j]!))),
  )
  const projection = inverse(square).map((row) => x.map((values) => sum(values.map((v, j) => v * row[j]!))))
  const fit = projection.map((row) => sum(row.map((weight, k) => weight * weeks[k]!.y)))
  const weights = projection.at(-1)!
  const residuals = weeks.map(({ y }, k) => y - sum(x[k]!.map((value, j) => value * fit[j]!)))
  const spread = weekDispersion(residuals, weights, size)!
  const estimate = fit.at(-1)!
  const squares = sum(weights.map((one) => one * one))
  const ofIncidents = sum(weights.map((one, k) => one * one * weeks[k]!.noise))
  const fewer = Math.max(0, ofIncidents - mean(weeks.map(({ noise }) => noise)) * squares)
  const t = estimate / Math.sqrt(spread.phi * squares + fewer)
  const p = Math.max(twoSided(t, Math.floor(spread.df)), twoSided(estimate / Math.sqrt(ofIncidents)))
  return { estimate, p, lag: spread.lag }
}

/** Computes the three tests of the macro `week_steps` by least squares. */
export function weekSteps(weeks: readonly WeekFigure[]) {
  const since = (week: number) => (week >= 0 ? 1 : 0)
  const before = weeks.filter(({ week }) => week < 0)
  const shift = coefficient(weeks, (week) => [1, since(week)])
  const step = coefficient(weeks, (week) => [1, week, since(week)])
  const trend = coefficient(before, (week) => [1, week])
  return {
    shift: shift.estimate,
    shift_p: shift.p,
    lag: shift.lag,
    step: step.estimate,
    step_p: step.p,
    trend: trend.estimate,
    trend_p: trend.p,
  }
}

/**
 * Returns the weekly scores of one side (affected or other teams), ranked within each team. One unit is the effect of
 * doubled durations.
 */
function sideWeeks(all: readonly Beside[]): Map<number, WeekFigure> {
  const scored = [...groupsOf(all, ({ team }) => team).values()].flatMap((rows) => {
    const scoreOf = scoresOf(rows)
    const twice = rows.map((one) => ({ ...one, seconds: 2 * one.seconds }))
    const among = scoresOf([...rows, ...twice])
    const move = Math.max(0.01, mean(twice.map(among)) - mean(rows.map(among)))
    return rows.map((one) => ({ week: one.week, score: scoreOf(one) - 0.5, move }))
  })
  const scores = scored.map(({ score }) => score)
  const variance = mean(scores.map((one) => one * one)) - mean(scores) ** 2
  return new Map(
    [...groupsOf(scored, ({ week }) => week)].map(([week, rows]) => {
      const moves = sum(rows.map(({ move }) => move))
      const y = sum(rows.map(({ score }) => score)) / moves
      return [week, { week, y, noise: (Math.max(0, variance) * rows.length) / moves ** 2 }]
    }),
  )
}

/** Computes `event_times` for one series, directly from the definitions. */
export function eventTimes(all: readonly Beside[]) {
  const length = Math.max(...all.map(({ week }) => week)) + 1
  const observed = (rows: readonly Beside[]) =>
    rows.map(
      ({ week, seconds, isOpen }): Observation => ({
        ...{ isNow: week >= 0, place: week >= 0 ? week : week + length, seconds, isOpen },
      }),
    )
  const [touched, others] = [all.filter((one) => one.isTouched), all.filter((one) => !one.isTouched)]
  const mine = durationChange(observed(touched))
  const theirs = others.length > 0 ? durationChange(observed(others)) : null
  const hasControl = theirs !== null && Math.min(theirs.n, theirs.n_before) >= 8 && theirs.weeks >= 3
  const [a, b] = [sideWeeks(touched), hasControl ? sideWeeks(others) : null]
  const weeks = [...a.values()]
    .filter(({ week }) => b === null || b.has(week))
    .map(({ week, y, noise }) => ({
      ...{ week, y: y - (b?.get(week)?.y ?? 0), noise: noise + (b?.get(week)?.noise ?? 0) },
    }))
    .sort((one, other) => one.week - other.week)
  const ln = (x: number | null, y: number | null) => Math.log(x! / y!)
  const ratio = hasControl ? mine.ratio! / theirs.ratio! : mine.ratio!
  const down = hasControl
    ? Math.hypot(ln(mine.ratio, mine.ratio_low), ln(theirs.ratio_high, theirs.ratio))
    : ln(mine.ratio, mine.ratio_low)
  const up = hasControl
    ? Math.hypot(ln(mine.ratio_high, mine.ratio), ln(theirs.ratio, theirs.ratio_low))
    : ln(mine.ratio_high, mine.ratio)
  return {
    n: mine.n,
    n_before: mine.n_before,
    value: mine.median_s,
    value_before: mine.median_before_s,
    has_control: hasControl,
    ratio,
    ratio_low: ratio * Math.exp(-down),
    ratio_high: ratio * Math.exp(up),
    weeks: weeks.filter(({ week }) => week >= 0).length,
    weeks_before: weeks.filter(({ week }) => week < 0).length,
    ...weekSteps(weeks),
  }
}

export function eventCounts(weeks: readonly (readonly [week: number, touched: number, others: number])[]) {
  const length = Math.max(...weeks.map(([week]) => week)) + 1
  const stretches = [
    weeks.filter(([week]) => week < -length),
    weeks.filter(([week]) => week < 0 && week >= -length),
    weeks.filter(([week]) => week >= 0),
  ].map((some) => some.map(([, hits, others]) => ({ hits, n: hits + others })))
  const spread = shareDispersion(stretches.filter((some) => some.length > 0))!
  const total = (some: { hits: number; n: number }[]) => [
    sum(some.map(({ hits }) => hits)),
    sum(some.map(({ n }) => n)),
  ]
  const [[a, n], [b, m]] = [total(stretches[2]!), total(stretches[1]!)] as [
    [number, number],
    [number, number],
  ]
  const logit = (share: number) => Math.log(share / (1 - share))
  const ends = wilson(a, n, dispersedZ(spread)).map(logit)
  const endsBefore = wilson(b, m, dispersedZ(spread)).map(logit)
  const ratio = a / (n - a) / (b / (m - b))
  const both = (a + b) / (n + m)
  const score = (a / n - b / m) / Math.sqrt(both * (1 - both) * (1 / n + 1 / m))
  const steps = weekSteps(
    weeks.map(([week, hits, others]) => ({
      ...{ week, y: hits / (hits + others), noise: (both * (1 - both)) / (hits + others) },
    })),
  )
  return {
    n: a,
    n_before: b,
    ratio,
    ratio_low: ratio * Math.exp(-Math.hypot(logit(a / n) - ends[0]!, endsBefore[1]! - logit(b / m))),
    ratio_high: ratio * Math.exp(Math.hypot(ends[1]! - logit(a / n), logit(b / m) - endsBefore[0]!)),
    ...steps,
    shift_p: Math.max(steps.shift_p, dispersedP(score, spread)),
  }
}
