import type { DuckDBConnection } from '@duckdb/node-api'
import type { FaultlineError } from '../../errors.ts'

/** Interval between interrupts. They are repeated, because an interrupt just before a statement begins has no effect. */
const INTERRUPT_MS = 100
/** Maximum wait until DuckDB has stopped. DuckDB stops only between two batches of rows. */
const GRACE_MS = 2_000

interface Stoppable {
  /** Aborted by `stop`, or together with `ending`. */
  readonly signal: AbortSignal
  /** Runs an operation on the connection. If `stop` is called and DuckDB does not end, throws the reason of `stop`. */
  wait<Result>(act: () => Promise<Result>): Promise<Result>
  stop(reason: FaultlineError): void
  /** Closes the connection, or returns a promise that closes it when the running operations have ended. */
  close(): Promise<void> | undefined
}

/** Returns functions that stop the operations on a connection. @param ending a signal that stops them, too */
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
