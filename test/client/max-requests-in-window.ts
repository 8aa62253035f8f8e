/** The most arrivals in any window [a, a + windowMs). Arrivals must be sorted. */
export function mostInWindow(arrivals: readonly number[], windowMs: number): number {
  let most = 0
  let first = 0
  for (let last = 0; last < arrivals.length; last++) {
    while (arrivals[last]! - arrivals[first]! >= windowMs) first++
    most = Math.max(most, last - first + 1)
  }
  return most
}
