import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runAfter } from '../../effects.ts'
import { ConfigError, WarehouseError } from '../../errors.ts'
import { inPackage } from '../../package-path.ts'
import { bytesOf } from '../../settings/config-fields.ts'
import { toPlainLocation, type WarehouseLocation } from '../../settings/warehouse-location.ts'
import type { Piece } from '../read/rows.ts'
import { removeSpillOf } from '../read/spill.ts'
import type { Failure, Order, Report, Task } from './worker-messages.ts'

/** Bytes that a worker can use in addition to DuckDB's limit, for the program and for rows that are being sent. */
const BESIDE_DUCKDB = 1e9

export interface StatementLimits {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Called with a notice, or undefined if no other program has changed the warehouse's file. */
  warn?(notice: string | undefined): void
}

export type Statement = Omit<Task, 'place'> & { readonly warehouse: WarehouseLocation }

export type StatementProcess = ReturnType<typeof statementProcess>

/** Runs statements in a process that can be killed at a limit. DuckDB checks no limits during a function call. */
export function statementProcess() {
  let worker: Worker | undefined
  let last: Promise<void> = Promise.resolve()
  const running = () => {
    if (!worker || worker.hasEnded()) worker = startWorker()
    return worker
  }
  return {
    start: () => void running(),
    /** Runs a statement after the previous one has ended. @throws WarehouseError at a limit, or the signal's reason */
    async *stream(statement: Statement, limits: StatementLimits): AsyncGenerator<Piece> {
      const before = last
      let free = () => {}
      last = new Promise((resolve) => {
        free = resolve
      })
      try {
        await before
        limits.signal.throwIfAborted()
        yield* piecesOf(running(), statement, limits)
      } finally {
        free()
      }
    },
    close: () => worker?.kill(new WarehouseError('The program ends.')),
  }
}

async function* piecesOf(worker: Worker, statement: Statement, limits: StatementLimits) {
  const { warehouse, ...task } = statement
  const { signal, timeoutMs } = limits
  const most = bytesOf(task.memoryLimit) + BESIDE_DUCKDB
  const stop = () => worker.kill(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  const timer = runAfter(timeoutMs, () => worker.kill(tooLong(timeoutMs)))
  worker.watch((memory) => memory > most && worker.kill(tooLarge(task.memoryLimit)))
  let hasEnded = false
  try {
    worker.send({ run: { ...task, place: toPlainLocation(warehouse) } })
    worker.send('more')
    for (;;) {
      const report = await worker.receive()
      hasEnded = report === 'done' || 'failed' in report
      if (report === 'done') return
      if ('failed' in report) throw errorOf(report.failed)
      if ('notice' in report) limits.warn?.(report.notice)
      if (!('piece' in report)) continue
      // Requests the next rows now, so that the worker reads them while the caller uses these.
      worker.send('more')
      yield report.piece
    }
  } finally {
    if (!hasEnded) await finish(worker)
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** Waits for the end of a statement whose remaining rows are not needed. */
async function finish(worker: Worker): Promise<void> {
  worker.send('enough')
  for (;;) {
    const report = await worker.receive().catch(() => 'done' as const)
    if (report === 'done' || 'failed' in report) return
  }
}

const AGAIN =
  'Run the statement again. If the process ends in the same way, the system may have run out of memory.'

type Worker = ReturnType<typeof startWorker>

function startWorker() {
  const child = fork(fileURLToPath(inPackage('dist/bin/statement-worker.js')), [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const reports: Exclude<Report, { memory: number }>[] = []
  let failure: { readonly reason: unknown } | undefined
  let ended: { readonly reason: unknown } | undefined
  let wake = () => {}
  let watching: (memory: number) => void = () => {}
  child.on('message', (report: Report) => {
    if (typeof report === 'object' && 'memory' in report) return watching(report.memory)
    reports.push(report)
    wake()
  })
  const leave = () => {
    child.kill('SIGKILL')
    removeSpillOf(child.pid)
  }
  process.once('exit', leave)
  const end = (words: string) => {
    process.off('exit', leave)
    removeSpillOf(child.pid)
    const reason = `The statement process ended before the statement was finished (${words}).`
    ended ??= failure ?? { reason: new WarehouseError(reason, { next: AGAIN }) }
    wake()
  }
  child.once('exit', (code, signal) => end(String(signal ?? code)))
  child.once('error', (error) => end(error.message))
  holdOpen(child, false)
  return {
    // Sends an order. If the process has died, `receive` throws the reason.
    send: (order: Order) => void (child.connected && child.send(order, () => {})),
    /** Waits for the next report. If the process has ended, throws the reason passed to `kill`, or another error. */
    async receive() {
      holdOpen(child, true)
      try {
        while (reports.length === 0) {
          if (ended) throw ended.reason
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        return reports.shift()!
      } finally {
        holdOpen(child, false)
      }
    },
    /** Calls `act` several times a second with the memory of the process in bytes. */
    watch(act: (memory: number) => void): void {
      watching = act
    },
    kill(reason: unknown): void {
      failure ??= { reason }
      child.kill('SIGKILL')
    },
    hasEnded: () => ended !== undefined || failure !== undefined,
  }
}

/** Sets whether this process waits for the worker before it ends. */
function holdOpen(child: ChildProcess, isHeld: boolean): void {
  for (const one of [child, child.channel])
    if (isHeld) one?.ref()
    else one?.unref()
}

function errorOf({ message, next, exitCode }: Failure): WarehouseError | ConfigError {
  return new (exitCode === 2 ? ConfigError : WarehouseError)(message, { next })
}

function tooLong(ms: number): WarehouseError {
  return new WarehouseError(`The statement did not end within ${ms / 1_000} s.`, {
    next: 'Request less, or allow more time, such as --timeout 1h.',
  })
}

function tooLarge(limit: string): WarehouseError {
  const message = `The statement needs more memory than ${limit} plus the allowance for its rows.`
  const next =
    'Request less: single values and lists are limited in size. `reporting.memoryLimit` sets the limit.'
  return new WarehouseError(message, { next })
}
