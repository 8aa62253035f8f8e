import { dispersedP, dispersedZ, type Week, weekDispersion } from './reference-changes.ts'

const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0)

/** Quasi-Poisson regression of weekly counts on time in units of four weeks. Null for too little data. */
export function countTrend(weeks: readonly Week[]) {
  const events = sum(weeks.map(({ n }) => n))
  if (weeks.length < 6 || events < 8) return null
  const xs = weeks.map((_, place) => (place - (weeks.length - 1) / 2) / 4)
  let [a, b] = [Math.log(events / sum(weeks.map(({ days }) => days))), 0]
  let fitted = weeks.map(({ days }) => days * Math.exp(a))
  for (let round = 0; round < 200; round++) {
    // Weighted least squares of the working response.
    const z = weeks.map(({ n }, k) => a + b * xs[k]! + (n - fitted[k]!) / fitted[k]!)
    const w = sum(fitted)
    const [mx, mz] = [sum(fitted.map((f, k) => f * xs[k]!)) / w, sum(fitted.map((f, k) => f * z[k]!)) / w]
    b =
      sum(fitted.map((f, k) => f * (xs[k]! - mx) * z[k]!)) / sum(fitted.map((f, k) => f * (xs[k]! - mx) ** 2))
    a = mz - b * mx
    if (!(Math.abs(b) < 12)) return null
    fitted = weeks.map(({ days }, k) => days * Math.exp(a + b * xs[k]!))
  }
  const mx = sum(fitted.map((f, k) => f * xs[k]!)) / sum(fitted)
  const error = Math.sqrt(1 / sum(fitted.map((f, k) => f * (xs[k]! - mx) ** 2)))
  const weekly = weekDispersion(
    weeks.map(({ n }, k) => (n - fitted[k]!) / Math.sqrt(fitted[k]!)),
    fitted.map((f, k) => (xs[k]! - mx) * Math.sqrt(f)),
    2,
  )!
  const reach = dispersedZ(weekly) * error
  return {
    ratio: Math.exp(b),
    low: Math.exp(b - reach),
    high: Math.exp(b + reach),
    p: dispersedP(b / error, weekly),
    phi: Math.max(1, weekly.phi),
    lag: weekly.lag,
    events,
  }
}

/**
 * Compares the first with the second half of a table (rows are weeks, columns are parts of a total), relative to the
 * dispersion of weeks within each half.
 */
export function mixChange(weeks: readonly (readonly number[])[]) {
  const seen = weeks.filter((row) => sum(row) > 0)
  const at = Math.ceil(weeks.length / 2)
  const halves = [weeks.slice(0, weeks.length - at), weeks.slice(weeks.length - at)].map((half) =>
    half.filter((row) => sum(row) > 0),
  )
  const total = (half: readonly (readonly number[])[]) =>
    weeks[0]!.map((_, part) => sum(half.map((row) => row[part]!)))
  const all = total(seen)
  const parts = all.filter((one) => one > 0).length
  if (parts < 2 || halves.some((half) => half.length < 3 || sum(total(half)) < 8)) return null
  const chiOf = (rows: readonly (readonly number[])[]) => {
    const sums = weeks[0]!.map((_, part) => sum(rows.map((row) => row[part]!)))
    return sum(
      rows.flatMap((row) =>
        row.flatMap((n, part) => {
          const expected = (sum(row) * sums[part]!) / sum(sums)
          return expected === 0 ? [] : [(n - expected) ** 2 / expected]
        }),
      ),
    )
  }
  const df = sum(halves.map((half) => (half.length - 1) * (total(half).filter((one) => one > 0).length - 1)))
  if (df === 0) return null
  const phi = Math.max(1, sum(halves.map(chiOf)) / df)
  const chi = chiOf(halves.map(total))
  return {
    n_first: sum(total(halves[0]!)),
    n_second: sum(total(halves[1]!)),
    parts,
    chi,
    phi,
    df,
    p: fTail(chi / (parts - 1) / phi, parts - 1, df),
  }
}

/** Upper tail of F by Simpson's rule. With x = tan², the density is a product of powers of sine and cosine. */
export function fTail(f: number, df1: number, df2: number): number {
  const g = (angle: number) => Math.sin(angle) ** (df1 - 1) * Math.cos(angle) ** (df2 - 1)
  const area = (from: number, to: number) => {
    const steps = 20_000
    const x = (k: number) => from + ((to - from) * k) / steps
    let total = 0
    for (let k = 0; k < steps; k += 2) total += g(x(k)) + 4 * g(x(k + 1)) + g(x(k + 2))
    return (total * (to - from)) / steps / 3
  }
  const start = Math.atan(Math.sqrt((df1 * f) / df2))
  return area(start, Math.PI / 2) / area(0, Math.PI / 2)
}
