import type { DuckDBConnection } from '@duckdb/node-api'
import type { FaultlineError } from '../../errors.ts'

/**
 * Milliseconds between interrupts. They are repeated, because an interrupt just before a statement starts has no
 * effect.
 */
const INTERRUPT_MS = 100
/** Maximum time to wait for DuckDB, which stops only between two batches of rows. */
const GRACE_MS = 2_000

export function stoppable(connection: DuckDBConnection, ending: AbortSignal | undefined) {
  const stopping = new AbortController()
  const signal: AbortSignal = ending ? AbortSignal.any([ending, stopping.signal]) : stopping.signal
  const running = new Map<Promise<unknown>, (reason: unknown) => void>()
  const timers: NodeJS.Timeout[] = []
  return {
    /** Aborted by `stop` or `ending`. */
    signal,
    /** Runs an operation. Rejects with the reason passed to `stop` if DuckDB does not stop in time. */
    wait<Result>(act: () => Promise<Result>): Promise<Result> {
      const work = act()
      return new Promise<Result>((resolve, reject) => {
        running.set(work, reject)
        work.then(resolve, reject).finally(() => running.delete(work))
      })
    },
    stop(reason: FaultlineError): void {
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
    /** Closes the connection. If operations are running, the returned promise waits for them. */
    close(): Promise<unknown> | undefined {
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
