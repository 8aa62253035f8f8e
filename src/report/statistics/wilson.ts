/**
 * The 95 % interval of a share: Wilson (1927), Probable inference, J. Am. Stat. Assoc. 22, 209–212.
 * 42 of 50 is 0.71 to 0.92. Null when there is nothing to divide by.
 */
export function wilson(successes: number, n: number): [number, number] | null {
  if (n === 0) return null
  const z = 1.96
  const share = successes / n
  const centre = share + (z * z) / (2 * n)
  const spread = z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))
  const scale = 1 + (z * z) / n
  return [Math.max(0, (centre - spread) / scale), Math.min(1, (centre + spread) / scale)]
}
