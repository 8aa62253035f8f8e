/**
 * The ratio of two counts, now over before, with its 95 % interval exp(ln(r) ± 1.96·sqrt(φ·(1/a + 1/b))), the log-normal
 * interval of a rate ratio (Rothman, Modern Epidemiology, 3rd ed., ch. 14) widened by the dispersion φ: incidents come
 * in bursts, and a plain Poisson interval would call every burst a change. Null when either count is 0.
 */
export function countRatio(
  now: number,
  before: number,
  dispersion = 1,
): { ratio: number; low: number; high: number } | null {
  if (now <= 0 || before <= 0) return null
  const ratio = now / before
  const spread = 1.96 * Math.sqrt(Math.max(1, dispersion) * (1 / now + 1 / before))
  return { ratio, low: ratio * Math.exp(-spread), high: ratio * Math.exp(spread) }
}

/**
 * How much more counts per bucket vary than a Poisson process would let them: Pearson's χ² over its degrees of freedom
 * (McCullagh and Nelder, Generalized Linear Models, 2nd ed., section 6.2.3), each group around its own mean.
 * At least 1; 1 when there is too little to tell.
 */
export function dispersion(groups: readonly (readonly number[])[]): number {
  let chi = 0
  let freedom = 0
  for (const counts of groups) {
    const mean = counts.reduce((sum, each) => sum + each, 0) / counts.length
    if (counts.length < 2 || mean === 0) continue
    chi += counts.reduce((sum, each) => sum + (each - mean) ** 2 / mean, 0)
    freedom += counts.length - 1
  }
  return freedom === 0 ? 1 : Math.max(1, chi / freedom)
}
