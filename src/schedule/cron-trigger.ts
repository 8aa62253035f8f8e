import nodeCron from 'node-cron'
import type { Log } from '../effects.ts'
import type { Cron } from '../settings/cron.ts'

/**
 * Calls `run` at each due time. node-cron skips a due time while the previous call runs, or if the process was busy.
 * Returns a function that ends the calls.
 */
export function startCronTrigger(
  cron: Cron,
  name: string,
  run: () => Promise<void> | undefined,
  log: Log,
): () => void {
  const logger = {
    debug: (message: string | Error) => log.debug(String(message), { job: name }),
    info: (message: string) => log.info(message, { job: name }),
    warn: (message: string) => log.warn(message, { job: name }),
    error: (message: string | Error) => log.warn(String(message), { job: name }),
  }
  const { timezone } = cron
  const options = { name, timezone, noOverlap: true, suppressMissedWarning: true, logger }
  const tasks = cron.expressions.map((expression) => nodeCron.schedule(expression, run, options))
  return () => {
    for (const task of tasks) task.destroy()
  }
}
