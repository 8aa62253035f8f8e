/**
 * The two-sided tail of Student's t, from Simpson's rule over the density. Degrees of freedom are rounded down.
 * Infinity gives the normal distribution.
 */
export function twoSided(value: number, freedom = Number.POSITIVE_INFINITY): number {
  const df = Math.floor(freedom + 1e-9)
  const density = (x: number) =>
    Number.isFinite(df) ? (1 + (x * x) / df) ** (-(df + 1) / 2) : Math.exp((-x * x) / 2)
  // Substituting x = tan(a) makes the tails finite.
  const area = (from: number, to: number) => {
    const steps = 2_000
    const at = (k: number) => from + ((to - from) * k) / steps
    const f = (a: number) => density(Math.tan(a)) / Math.cos(a) ** 2
    let sum = 0
    for (let k = 0; k < steps; k += 2) sum += f(at(k)) + 4 * f(at(k + 1)) + f(at(k + 2))
    return (sum * (to - from)) / steps / 3
  }
  const end = Math.PI / 2 - 1e-9
  return area(Math.atan(Math.abs(value)), end) / area(0, end)
}

/**
 * The t quantile for 5 %, by bisection and rounded as in a table. Above 30 degrees of freedom, uses the expansion
 * around 1.96 of Abramowitz and Stegun, 26.7.5.
 */
export function t95(freedom: number): number {
  if (freedom > 30.5) {
    const [z, df] = [1.96, Math.floor(freedom + 1e-9)]
    return z + (z ** 3 + z) / (4 * df) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * df ** 2)
  }
  const known = tables.get(freedom)
  if (known !== undefined) return known
  let [low, high] = [1, 13]
  for (let k = 0; k < 30; k++) {
    const middle = (low + high) / 2
    if (twoSided(middle, freedom) > 0.05) low = middle
    else high = middle
  }
  const found = Math.round(low * 1e4) / 1e4
  tables.set(freedom, found)
  return found
}

const tables = new Map<number, number>()
