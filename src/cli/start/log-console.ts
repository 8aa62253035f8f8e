import type { Effects, Log } from '../../effects.ts'
import { type Console, warnOnce } from '../console.ts'

/** At most one line of progress a minute. */
const PROGRESS_MS = 60_000

/** A log of JSON lines on standard error: time, level, message and fields; debug lines only with `verbose`. */
export function jsonLog(console: Console, now: () => number, verbose: boolean): Log {
  const line = (level: string) => (message: string, facts?: Record<string, unknown>) =>
    console.note(JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...facts }))
  return { debug: verbose ? line('debug') : () => {}, info: line('info'), warn: line('warn') }
}

/** The console of a scheduled command: its output becomes lines of the log, and can be read afterwards. */
interface LoggedConsole extends Console {
  /** All results. */
  readonly results: readonly string[]
  /** All errors. */
  readonly errors: readonly string[]
}

/** A console whose output goes to the log, with the name of the job. */
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
    // So that progress comes through `progress` and not through `note`.
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
