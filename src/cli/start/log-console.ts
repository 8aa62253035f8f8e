import type { Effects, Log } from '../../effects.ts'
import { type Console, warnOnce } from '../console.ts'

const PROGRESS_MS = 60_000

/** Logs JSON lines to standard error, with time, level, message and fields. Debug lines need `verbose`. */
export function jsonLog(console: Console, now: () => number, verbose: boolean): Log {
  const line = (level: string) => (message: string, facts?: Record<string, unknown>) =>
    console.note(JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...facts }))
  return { debug: verbose ? line('debug') : () => {}, info: line('info'), warn: line('warn') }
}

interface LoggedConsole extends Console {
  readonly results: readonly string[]
  readonly errors: readonly string[]
}

/** Returns a console whose output goes to the log, with the name of the job. */
export function logConsole(log: Log, job: string, { now }: Pick<Effects, 'now'>): LoggedConsole {
  const results: string[] = []
  const errors: string[] = []
  let lastProgress = now()
  const out = (text: string) => {
    results.push(text)
    log.debug(text, { job })
  }
  return {
    results,
    errors,
    // Makes commands report progress through `progress` instead of `note`.
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
