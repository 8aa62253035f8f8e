import type { Effects } from '../../effects.ts'
import { type Console, warnOnce } from '../console.ts'

const PROGRESS_MS = 60_000

/** Writes output to the log, with the name of the job. `errors` contains the printed errors. */
export function logConsole({ log, now }: Effects, job: string): Console & { readonly errors: string[] } {
  const errors: string[] = []
  let lastProgress = now()
  const out = (text: string) => log.debug(text, { job })
  return {
    errors,
    // A sync calls `progress` on a terminal, but otherwise `note`, which logs a warning here.
    isTerminal: true,
    color: false,
    width: 100,
    out,
    write: async (text) => out(text),
    note: (text) => log.warn(text, { job }),
    warn: warnOnce((text) => log.warn(text, { job })),
    error(text) {
      errors.push(text)
      log.warn(text, { job })
    },
    event: (level, message, facts) => log[level](message, { job, ...facts }),
    progress(line) {
      if (now() - lastProgress < PROGRESS_MS) return
      lastProgress = now()
      log.info(line.trim(), { job })
    },
    clearProgress() {},
  }
}
