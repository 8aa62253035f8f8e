import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Console } from '../console.ts'

/** How much of a result is kept to be shown again, should the pager fail. */
const KEPT = 16_000_000

/** Where a pager runs. */
export interface Terminal {
  /** Its command line, for the shell. */
  readonly pager: string
  readonly columns: number
  readonly rows: number
  /** Gives the keyboard away, and takes it back. */
  lend(): void
  takeBack(): void
}

/** A console whose result is shown by a pager once it is longer than the screen; what it notes is shown afterwards. */
export interface Paged {
  readonly console: Console
  /** Aborted when the reader has closed the pager: nothing more is wanted. */
  readonly closed: AbortSignal
  /** Waits until the reader closes it, or shows what is short. */
  end(): Promise<void>
}

/** How a pager ended: undefined where it was closed in order, else in words. */
type Ending = { readonly failure: string | undefined }

/** Opens one. A pager that cannot be started, or fails, loses nothing: the result is shown without it. */
export function pagedConsole(console: Console, terminal: Terminal, signal: AbortSignal): Paged {
  const closing = new AbortController()
  const notes: string[] = []
  let kept = ''
  let isWhole = true
  let running: Running | undefined
  let isDirect = false

  const showDirectly = async ({ failure }: Ending) => {
    isDirect = true
    // A terminal that was closed shows nothing.
    if (failure === undefined || signal.aborted) return closing.abort(new Error('the pager was closed'))
    await console.write(isWhole ? kept : '')
    const rest = isWhole ? 'the result is shown without it' : '\\o FILE keeps a result as long as this'
    notes.push(`The pager (${terminal.pager}) ${failure}: ${rest}.`)
  }
  const write = async (text: string) => {
    if (closing.signal.aborted) return
    if (isDirect) return console.write(text)
    isWhole &&= kept.length + text.length <= KEPT
    if (isWhole) kept += text
    const isFirst = running === undefined
    if (isFirst && isWhole && !isLonger(kept, terminal)) return
    running ??= startPager(terminal, signal)
    const all = isWhole ? kept : kept + text
    const ending = await running.give(isFirst ? all : text)
    if (ending) await showDirectly(ending)
  }
  return {
    console: { ...console, write, note: (text) => void notes.push(text) },
    closed: closing.signal,
    async end() {
      if (!running) await console.write(kept)
      else if (!isDirect) await showDirectly(await running.end())
      for (const note of notes) console.note(note)
    },
  }
}

interface Running {
  /** Gives it a text. @returns how it ended, where it has */
  give(text: string): Promise<Ending | undefined>
  end(): Promise<Ending>
}

function startPager(terminal: Terminal, signal: AbortSignal): Running {
  terminal.lend()
  // Ctrl-C is the pager's: it goes to every process of the terminal.
  const listeners = process.listeners('SIGINT')
  process.removeAllListeners('SIGINT').on('SIGINT', ignore)
  const child = spawn(terminal.pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], signal })
  child.stdin.on('error', ignore)
  let ending: Ending | undefined
  const ended = endingOf(child).then((one) => {
    ending = one
    process.removeListener('SIGINT', ignore)
    for (const listener of listeners) process.on('SIGINT', listener)
    terminal.takeBack()
    return one
  })
  return {
    async give(text) {
      if (!child.stdin.write(text)) await Promise.race([once(child.stdin, 'drain').catch(ignore), ended])
      return child.stdin.destroyed ? ended : ending
    },
    end() {
      child.stdin.end()
      return ended
    },
  }
}

function endingOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ failure: `could not be started (${codeOf(error)})` }))
    child.on('close', (code, killedBy) => {
      // By Ctrl-C the reader closes it, or its shell alone.
      const isClosed = code === 0 || code === 130 || killedBy === 'SIGINT'
      resolve({ failure: isClosed ? undefined : `ended with ${code ?? killedBy}` })
    })
  })
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.name
}

function ignore(): void {}

/** Whether a text has more lines than the screen, one of them being the prompt's. */
function isLonger(text: string, { columns, rows }: Terminal): boolean {
  let lines = 0
  for (const line of text.split('\n')) {
    lines += Math.max(1, Math.ceil(line.length / columns))
    if (lines > rows) return true
  }
  return false
}
