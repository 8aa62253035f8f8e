/**
 * A clock that never goes back. When the wall clock is set back, windows measured with it would last that much
 * longer; this one goes on from where it was. (Set forward, tokens come back early and a 429 corrects us.)
 */
export function steadyClock(now: () => number): () => number {
  let last = Number.NEGATIVE_INFINITY
  let ahead = 0
  return () => {
    const read = now()
    ahead = Math.max(ahead, last - read)
    last = read + ahead
    return last
  }
}
