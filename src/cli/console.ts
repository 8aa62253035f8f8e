import { once } from 'node:events'
import { redact } from '../client/redact.ts'
import { type Effects, type Log, realEffects, silent } from '../effects.ts'
import { cleanForTerminal, escapeActing } from '../render/sanitize-text.ts'

export interface Console {
  /** Prints a result to standard output. */
  out(text: string): void
  /** Writes part of a result to standard output, without a line end. Resolves when the stream can accept more. */
  write(text: string): Promise<void>
  /** Prints a message that is not a result to standard error. */
  note(text: string): void
  /** Prints `warning: …`, but the same text only once. Ignores undefined. */
  warn(text: string | undefined): void
  error(text: string): void
  event(level: keyof Log, message: string, facts?: Record<string, unknown>): void
  /** Replaces the progress line if standard error is a terminal. Otherwise does nothing. */
  progress(line: string): void
  clearProgress(): void
  readonly isTerminal: boolean
  readonly color: boolean
  readonly width: number
  /** Number of columns of the terminal. Undefined if standard output is a file or pipe. */
  readonly screenWidth?: number | undefined
}

type Streams = Readonly<
  Record<'stdout' | 'stderr', NodeJS.WritableStream & { isTTY?: boolean; columns?: number }>
>

/** Returns the console of this process, which removes every secret from its output. */
export function processConsole(
  secrets: () => readonly string[],
  { stdout, stderr }: Streams = process,
): Console {
  const isTerminal = stderr.isTTY === true
  let shown = false
  let isClosed = false
  let isStreaming = false
  // In `… | head`, the reader closes the pipe early. A command that writes its result in parts then ends. Other
  // commands, such as `check`, continue, because their exit status matters.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    isClosed = true
    if (isStreaming) process.exit(0)
  })
  const clear = () => {
    if (shown) stderr.write('\r\u001b[2K')
    shown = false
  }
  const note = (text: string) => {
    clear()
    // The text can contain control characters, because parts of it might come from the service.
    const lines = redact(text, secrets()).split('\n').map(cleanForTerminal)
    stderr.write(`${lines.join('\n')}\n`)
  }
  return {
    isTerminal,
    color: (stdout.isTTY === true || Boolean(process.env.FORCE_COLOR)) && !process.env.NO_COLOR,
    // A terminal that does not know its width reports 0 columns.
    width: stdout.columns || 100,
    screenWidth: stdout.isTTY === true ? stdout.columns || undefined : undefined,
    out: (text) => {
      clear()
      // Callers have already removed control characters from text that comes from the service.
      if (!isClosed) stdout.write(`${escapeActing(redact(text, secrets()))}\n`)
    },
    async write(text) {
      isStreaming = true
      if (!stdout.write(text)) await once(stdout, 'drain')
    },
    note,
    warn: warnOnce(note),
    error: (text) => note(`error: ${text}`),
    event: (level, message, facts) => note(JSON.stringify({ level, message, ...facts })),
    progress: (line) => {
      if (!isTerminal) return
      stderr.write(`\r\u001b[2K${redact(line, secrets()).slice(0, (stderr.columns || 100) - 1)}`)
      shown = true
    },
    clearProgress: clear,
  }
}

export function warnOnce(note: (text: string) => void): Console['warn'] {
  const noted = new Set<string>()
  return (text) => {
    if (text === undefined || noted.has(text)) return
    noted.add(text)
    note(`warning: ${text}`)
  }
}

/** Returns the real clock, timers and random numbers. With `verbose`, the log goes to standard error as JSON lines. */
export function consoleEffects(console: Console, verbose: boolean): Effects {
  const line = (level: keyof Log) => (message: string, facts?: Record<string, unknown>) =>
    console.event(level, message, facts)
  return realEffects(verbose ? { debug: line('debug'), info: line('info'), warn: line('warn') } : silent)
}
