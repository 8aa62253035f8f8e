import type { Effects, Log } from '../../effects.ts'
import { type Console, warnOnce } from '../console.ts'

const PROGRESS_MS = 60_000

/** Logs JSON lines to standard error, with time, level and message. Drops debug lines unless `verbose` is true. */
export function jsonLog(console: Console, now: () => number, verbose: boolean): Log {
  const line = (level: string) => (message: string, facts?: Record<string, unknown>) =>
    console.note(JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...facts }))
  return { debug: verbose ? line('debug') : () => {}, info: line('info'), warn: line('warn') }
}

/** Returns a console whose output goes to the log, with the name of the job. `errors` are the printed errors. */
export function logConsole({ log, now }: Effects, job: string): Console & { readonly errors: string[] } {
  const errors: string[] = []
  let lastProgress = now()
  const out = (text: string) => log.debug(text, { job })
  return {
    errors,
    // With a terminal, a sync calls `progress`. Otherwise it calls `note`, which is a warning here.
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
