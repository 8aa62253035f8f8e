import type { Effects, Log } from '../effects.ts'
import type { Console } from './console.ts'

/** A line of progress a minute is enough for a log. */
const PROGRESS_MS = 60_000

/** A log of JSON lines on standard error: time, level, message and facts. Debug lines only when asked for. */
export function jsonLog(console: Console, now: () => number, verbose: boolean): Log {
  const line = (level: string) => (message: string, facts?: Record<string, unknown>) =>
    console.note(JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...facts }))
  return { debug: verbose ? line('debug') : () => {}, info: line('info'), warn: line('warn') }
}

/** A console of a command that runs by the schedule: what it says becomes lines of the log, and can be read back. */
export interface LoggedConsole extends Console {
  /** Everything it gave out as a result. */
  readonly results: readonly string[]
  /** What it said went wrong. */
  readonly errors: readonly string[]
}

/** What a command says, as lines of a log that name the job. */
export function logConsole(log: Log, job: string, { now }: Pick<Effects, 'now'>): LoggedConsole {
  const results: string[] = []
  const errors: string[] = []
  let lastProgress = now()
  return {
    results,
    errors,
    // Then progress comes as lines that replace each other, and not as text.
    isTerminal: true,
    color: false,
    width: 100,
    out(text) {
      results.push(text)
      log.debug(text, { job })
    },
    note(text) {
      const error = /^error: (.*)$/s.exec(text)?.[1]
      if (error !== undefined) errors.push(error)
      const event = eventOf(text)
      if (event) log[event.level](event.message, { job, ...event.facts })
      else log.warn(error ?? text, { job })
    },
    progress(line) {
      if (now() - lastProgress < PROGRESS_MS) return
      lastProgress = now()
      log.info(line.trim(), { job })
    },
    clearProgress() {},
  }
}

/** A line that a command logs itself, with --verbose. */
function eventOf(text: string) {
  if (!text.startsWith('{')) return undefined
  const { level, message, ...facts } = JSON.parse(text) as Record<string, unknown>
  return { level: level as keyof Log, message: String(message), facts }
}
