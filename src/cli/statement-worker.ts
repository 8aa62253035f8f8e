/** Entry point of the process that runs SQL statements, see `warehouse/worker/statement-process.ts`. */

import { on } from 'node:events'
import { toFaultlineError } from '../external-errors.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import { fromPlainLocation } from '../settings/warehouse-location.ts'
import { openReader } from '../warehouse/read/reader.ts'
import { removeSpillOf } from '../warehouse/read/spill.ts'
import type { Order, Report, Task } from '../warehouse/worker/worker-messages.ts'

/** Interval between memory reports, short because one DuckDB function can fill a gigabyte per second. */
const REPORT_MS = 50

const send = (report: Report) => void process.send?.(report)

/** Orders from the parent process. An order waits in this queue until the code below reads it. */
const orders = on(process, 'message') as AsyncIterableIterator<[Order]>

// Ctrl-C reaches every process in the terminal. Ignored here, because the parent ends this process.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

// SIGKILL also ends a running statement. `process.exit` would wait for the statement.
process.on('disconnect', () => {
  removeSpillOf(process.pid)
  process.kill(process.pid, 'SIGKILL')
})

// Ignores late orders for more rows of a statement that has already ended.
for await (const [order] of orders) if (typeof order === 'object') await run(order.run)

async function run(task: Task): Promise<void> {
  const timer = setInterval(() => send({ memory: process.memoryUsage.rss() }), REPORT_MS)
  try {
    await readRows(task)
    send('done')
  } catch (error) {
    const { message, next, exitCode } = toFaultlineError(error)
    send({ failed: { message, next, exitCode } })
  } finally {
    clearInterval(timer)
  }
}

/** Sends each piece of the result only when the parent asks for it, because the parent may be slower than the query. */
async function readRows({ place, sql, reach, ...options }: Task): Promise<void> {
  const reader = await openReader(await resolveStorage(fromPlainLocation(place)), options)
  try {
    send({ notice: reader.notice })
    for await (const piece of reader.stream(sql, {}, reach)) {
      const [order] = (await orders.next()).value as [Order]
      if (order === 'enough') return
      send({ piece })
    }
  } finally {
    reader.close()
  }
}
