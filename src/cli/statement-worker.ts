/** Entry point of the process that runs statements, see `warehouse/worker/statement-process.ts`. */

import { toFaultlineError } from '../external-errors.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import { fromPlainLocation } from '../settings/warehouse-location.ts'
import { openReader } from '../warehouse/read/reader.ts'
import { removeSpillOf } from '../warehouse/read/spill.ts'
import type { Order, Report, Task } from '../warehouse/worker/worker-messages.ts'

/** Interval of memory reports. One function call can fill a gigabyte per second. */
const REPORT_MS = 50

const send = (report: Report) => void process.send?.(report)

let onOrder: (order: 'more' | 'enough') => void = () => {}

process.on('message', (order: Order) => {
  if (typeof order === 'string') onOrder(order)
  else void run(order.run)
})

// Ctrl-C reaches every process of a terminal. This process ignores it, because its parent decides when to end it.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

// A clean exit would wait for the statement.
process.on('disconnect', () => {
  removeSpillOf(process.pid)
  process.kill(process.pid, 'SIGKILL')
})

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

/** Sends rows on request, so that a slow parent is not flooded. */
async function readRows({ place, sql, reach, ...options }: Task): Promise<void> {
  const orders: ('more' | 'enough')[] = []
  let wake = () => {}
  onOrder = (order) => {
    orders.push(order)
    wake()
  }
  const nextOrder = async () => {
    if (orders.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return orders.shift()
  }
  const reader = await openReader(await resolveStorage(fromPlainLocation(place)), options)
  try {
    send({ notice: reader.notice })
    for await (const piece of reader.stream(sql, {}, reach)) {
      if ((await nextOrder()) === 'enough') return
      send({ piece })
    }
  } finally {
    reader.close()
  }
}
