import type { Effects } from '../effects.ts'

/** A person who waits hears a word after so long, and again after a minute. */
const FIRST_MS = 10_000
const AGAIN_MS = 60_000

/** Says what is waited for where the service is ill. Many requests wait at once: one of them speaks for all. */
export interface SlowRequestNotice {
  /** A request of which nothing has come for a while. */
  silent(operation: string): void
  /** A request will be tried again after so long. `problem` is what came of the last attempt. */
  retrying(problem: string, facts: { elapsedMs: number; waitMs: number; maxRetryMs: number }): void
}

/** @param tell is given one line after ten seconds, and at most one a minute after that */
export function createWaiting(
  effects: Pick<Effects, 'elapsed'>,
  tell: (sentence: string) => void = () => {},
): SlowRequestNotice {
  let toldAt = Number.NEGATIVE_INFINITY
  const say = (sentence: string) => {
    if (effects.elapsed() - toldAt < AGAIN_MS) return
    toldAt = effects.elapsed()
    tell(sentence)
  }
  return {
    silent: (operation) => say(`Waiting for the service: ${operation}: no answer so far.`),
    retrying(problem, { elapsedMs, waitMs, maxRetryMs }) {
      if (elapsedMs + waitMs < FIRST_MS) return
      const left = Math.round((maxRetryMs - elapsedMs) / 1_000)
      say(`Waiting for the service: ${problem}. It is tried again for up to ${left} s.`)
    },
  }
}

/** How long an exchange may last without a word, milliseconds. */
export const SILENT_MS = FIRST_MS
