import type { DuckDBConnection } from '@duckdb/node-api'
import type { FaultlineError } from '../../errors.ts'

/** An interruption that comes just before a statement begins is lost on it: it is said again. */
const INTERRUPT_MS = 100
/** DuckDB ends between two batches of rows; what has not ended by then is not waited for. */
const GRACE_MS = 2_000

/** A connection that can be stopped. */
interface Stoppable {
  /** Aborted when it was stopped, by whomever. */
  readonly signal: AbortSignal
  /** Waits for what `act` asks of the connection, as long as that is not given up. */
  wait<Result>(act: () => Promise<Result>): Promise<Result>
  stop(reason: FaultlineError): void
  /** Closes the connection, at once or when nothing runs on it any more: then returns when that is. */
  close(): Promise<void> | undefined
}

/**
 * What is asked of a connection, so that it can be stopped.
 * @param ending interrupts the connection already; its reason is thrown when it is aborted
 */
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
