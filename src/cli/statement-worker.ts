/** Entry point of the process that runs statements, see `warehouse/worker/statement-process.ts`. */

import { on } from 'node:events'
import { toFaultlineError } from '../external-errors.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import { fromPlainLocation } from '../settings/warehouse-location.ts'
import { openReader } from '../warehouse/read/reader.ts'
import { removeSpillOf } from '../warehouse/read/spill.ts'
import type { Order, Report, Task } from '../warehouse/worker/worker-messages.ts'

/** Interval of memory reports. It is short, because one function of DuckDB can fill a gigabyte per second. */
const REPORT_MS = 50

const send = (report: Report) => void process.send?.(report)

/** Orders of the parent process. The listener stores an order until it is read here. */
const orders = on(process, 'message') as AsyncIterableIterator<[Order]>

// Ctrl-C reaches every process of a terminal. This process ignores it, because its parent decides when to end it.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

// SIGKILL ends the statement, too. `process.exit` would wait for it.
process.on('disconnect', () => {
  removeSpillOf(process.pid)
  process.kill(process.pid, 'SIGKILL')
})

// An order for more rows of an earlier statement has no effect.
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

/** Sends each piece of the rows only when the parent asks for it, because the parent can be slower. */
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
