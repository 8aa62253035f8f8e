import type { DuckDBConnection } from '@duckdb/node-api'
import type { FaultlineError } from '../../errors.ts'

/** Interval at which an interrupt is repeated, because one that arrives just before a statement begins has no effect. */
const INTERRUPT_MS = 100
/** Maximum time for which the caller waits until DuckDB stops. DuckDB can stop only between two batches of rows. */
const GRACE_MS = 2_000

interface Stoppable {
  /** Aborted when the connection was stopped, by any caller. */
  readonly signal: AbortSignal
  /** Waits for an operation on the connection, until it is stopped. */
  wait<Result>(act: () => Promise<Result>): Promise<Result>
  stop(reason: FaultlineError): void
  /** Closes the connection as soon as nothing runs on it. If that is not immediately, returns a promise. */
  close(): Promise<void> | undefined
}

/** Makes operations on a connection stoppable. If `ending` is aborted, they throw its reason. */
export function stoppable(connection: DuckDBConnection, ending: AbortSignal | undefined): Stoppable {
  const stopping = new AbortController()
  const signal = ending ? AbortSignal.any([ending, stopping.signal]) : stopping.signal
  const running = new Map<Promise<unknown>, (reason: unknown) => void>()
  const timers: NodeJS.Timeout[] = []
  return {
    signal,
    wait<Result>(act: () => Promise<Result>): Promise<Result> {
      const work = act()
      return new Promise<Result>((resolve, reject) => {
        running.set(work, reject)
        work.then(resolve, reject).finally(() => running.delete(work))
      })
    },
    stop(reason) {
      stopping.abort(reason)
      connection.interrupt()
      const giveUp = () => {
        for (const reject of running.values()) reject(reason)
      }
      timers.push(
        setInterval(() => connection.interrupt(), INTERRUPT_MS),
        setTimeout(giveUp, GRACE_MS),
      )
    },
    close() {
      const shut = () => {
        for (const timer of timers) clearTimeout(timer)
        connection.closeSync()
      }
      if (running.size > 0) return Promise.allSettled(running.keys()).then(shut)
      shut()
      return undefined
    },
  }
}
