import type { Effects } from '../effects.ts'

/** Milliseconds without a response before the first notice, and milliseconds between notices. */
export const SILENT_MS = 10_000
const AGAIN_MS = 60_000

/** Reports that requests wait for a slow or failing service. One notice covers all waiting requests. */
export type SlowRequestNotice = ReturnType<typeof createWaiting>

/** Creates the notice. @param tell receives a sentence after ten seconds, and then at most one per minute */
export function createWaiting(effects: Pick<Effects, 'elapsed'>, tell: (sentence: string) => void) {
  let toldAt = Number.NEGATIVE_INFINITY
  const say = (sentence: string) => {
    if (effects.elapsed() - toldAt < AGAIN_MS) return
    toldAt = effects.elapsed()
    tell(sentence)
  }
  return {
    /** Called if a request has no response after `SILENT_MS`. */
    silent: (operation: string) => say(`Waiting for the service: ${operation}: no answer so far.`),
    /** Called before a retry. `problem` describes the last attempt. */
    retrying(problem: string, facts: { elapsedMs: number; waitMs: number; maxRetryMs: number }) {
      const { elapsedMs, waitMs, maxRetryMs } = facts
      if (elapsedMs + waitMs < SILENT_MS) return
      const left = Math.round((maxRetryMs - elapsedMs) / 1_000)
      say(`Waiting for the service: ${problem}. Retrying for up to ${left} s.`)
    },
  }
}
