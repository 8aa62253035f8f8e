import type { Effects } from '../effects.ts'

/** Delay before the first notice, and interval between later ones. */
const FIRST_MS = 10_000
const AGAIN_MS = 60_000

/** Reports that requests wait for a slow or failing service. One notice covers all waiting requests. */
export interface SlowRequestNotice {
  /** Called for a request without any answer so far. */
  silent(operation: string): void
  /** Called before a retry. `problem` describes the last attempt. */
  retrying(problem: string, facts: { elapsedMs: number; waitMs: number; maxRetryMs: number }): void
}

/** @param tell receives one line after ten seconds, and then at most one per minute */
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
      say(`Waiting for the service: ${problem}. Retrying for up to ${left} s.`)
    },
  }
}

/** Milliseconds that an exchange can take before a notice. */
export const SILENT_MS = FIRST_MS
