/**
 * Everything a run takes from the outside world besides the network and the disk.
 * Production code uses `realEffects()`; tests pass their own object, and nothing is ever patched.
 */
export interface Effects {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds since some moment, fractions too. It never goes back, whatever the clock on the wall is set to. */
  elapsed(): number
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A number in [0, 1). */
  random(): number
  log: Log
}

/** Structured log: a message and the facts that go with it. Secrets are removed by the sink, by value. */
export interface Log {
  debug(message: string, facts?: Record<string, unknown>): void
  info(message: string, facts?: Record<string, unknown>): void
  warn(message: string, facts?: Record<string, unknown>): void
}

/** A log that says nothing. */
export const silent: Log = { debug() {}, info() {}, warn() {} }

/** The real clock, timers and randomness, with the log given (silent unless told otherwise). */
export function realEffects(log: Log = silent): Effects {
  return { now: Date.now, elapsed: () => performance.now(), random: Math.random, log, sleep }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(done, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    function done() {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}
