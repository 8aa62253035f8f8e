import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { Config } from '../../config/config.ts'
import { FaultlineError } from '../../errors.ts'
import { resources } from '../../resources/index.ts'
import { readSchema } from '../../warehouse/schema/schema.ts'
import type { Console } from '../console.ts'
import type { Context } from '../context.ts'
import { runStatement, type StatementRun } from './statement.ts'

const HELP = `End a statement with ; to run it. It reads what is published at that moment; nothing can be written.
  \\x   a column a line, or a table again
  \\d   tables, views and metrics
  \\q   leave (Ctrl-D); Ctrl-C stops a statement, Tab completes names, the arrow keys recall statements`

const HISTORY_SIZE = 500
const WORDS = 'select,from,where,group by all,order by,limit,join,using,count(*),median('.split(',')

/** Where the prompt reads and shows its lines; the process's terminal by default. */
interface PromptStreams {
  readonly input: Readable
  readonly output: Writable
  /** File of earlier statements, readable by its owner only. */
  readonly history: string
}

/** What has been typed, and how rows are shown. */
interface Typed {
  /** The lines of a statement that has not ended. */
  statement: string
  isExpanded: boolean
  /** Aborts the statement that runs. */
  running: AbortController | undefined
}

/** `faultline sql` on a terminal: statements one after the other, with completion and history. Returns the exit status. */
export async function sqlPrompt(
  context: Context,
  config: Config,
  run: Omit<StatementRun, 'signal'>,
  streams: PromptStreams = {
    input: process.stdin,
    output: process.stdout,
    history: join(homedir(), '.faultline_sql_history'),
  },
): Promise<number> {
  const { console, signal } = context
  // Without names there is a prompt all the same.
  const names = namesOf().catch(() => [])
  const lines = openLines(streams, names, signal)
  const typed: Typed = { statement: '', isExpanded: run.format === 'expanded', running: undefined }
  const ask = () => {
    lines.setPrompt(typed.statement === '' ? 'faultline> ' : '        -> ')
    lines.prompt()
  }
  lines.on('SIGINT', () => {
    if (typed.running) return typed.running.abort(new Error('stopped'))
    typed.statement = ''
    // Its line, to the end and then all of it.
    lines.write(null, { ctrl: true, name: 'e' })
    lines.write(null, { ctrl: true, name: 'u' })
    ask()
  })
  console.note(`${config.warehouse}. \\? for help, \\q to leave.`)
  ask()
  for await (const line of lines) {
    const word = typed.statement === '' ? line.trim() : ''
    if (word === '\\q' || word === 'exit' || word === 'quit') break
    if (!(await obey(word, typed, names, console))) {
      typed.statement += typed.statement === '' ? line : `\n${line}`
      const isComplete = /;\s*$/.test(line)
      if (isComplete) remember(streams.history, typed.statement)
      if (isComplete) await runTyped(context, config, typed, run)
      if (isComplete || typed.statement.trim() === '') typed.statement = ''
    }
    ask()
  }
  lines.close()
  signal.throwIfAborted()
  return 0
}

type Names = ReturnType<typeof namesOf>

function openLines({ input, output, history }: PromptStreams, names: Names, signal: AbortSignal): Interface {
  return createInterface({
    ...{ input, output, signal, terminal: true },
    history: earlier(history),
    historySize: HISTORY_SIZE,
    completer: (line: string, done: (error: Error | null, found: [string[], string]) => void) =>
      void names.then((all) =>
        done(
          null,
          completed(
            line,
            all.flatMap(({ words }) => words),
          ),
        ),
      ),
  })
}

/** Does what a word asks of the prompt itself. @returns false where it asks nothing, and begins a statement */
async function obey(word: string, typed: Typed, names: Names, { note }: Console): Promise<boolean> {
  if (word === '\\?' || word === 'help') note(HELP)
  else if (word === '\\d')
    note((await names).map(({ kind, name }) => `${kind.padEnd(12)} ${name}`).join('\n'))
  else if (word === '\\x') {
    typed.isExpanded = !typed.isExpanded
    note(typed.isExpanded ? 'A column a line.' : 'A table.')
  } else if (word.startsWith('\\')) note(`There is no ${word}: \\? lists what there is.`)
  else return false
  return true
}

/** Runs a statement until it ends or is stopped, and says what is wrong with it. */
async function runTyped(
  context: Context,
  config: Config,
  typed: Typed,
  { seconds, format, at }: Omit<StatementRun, 'signal'>,
): Promise<void> {
  const running = new AbortController()
  typed.running = running
  const shape = typed.isExpanded ? 'expanded' : format === 'expanded' ? 'table' : format
  try {
    const signal = AbortSignal.any([context.signal, running.signal])
    await runStatement(context, config, typed.statement, { seconds, format: shape, signal, at })
  } catch (error) {
    if (running.signal.aborted) context.console.note('Stopped.')
    else if (error instanceof FaultlineError)
      context.console.note([error.message, error.next].filter(Boolean).join('\n  '))
    else throw error
  }
  typed.running = undefined
}

/** What can be named in a statement. */
async function namesOf() {
  const relations = await readSchema(resources)
  return relations.map(({ name, kind, columns }) => ({
    name,
    kind,
    words: [name, ...columns.map((one) => one.name)],
  }))
}

/** Words that begin as the last of the line does. */
function completed(line: string, names: readonly string[]): [string[], string] {
  const last = /[\w*(]*$/.exec(line)![0]
  const found = [...new Set([...names, ...WORDS])].filter((name) => name.startsWith(last.toLowerCase()))
  return [last === '' ? [] : found.sort(), last]
}

/** Newest first, as readline wants them. */
function earlier(file: string): string[] {
  if (!existsSync(file)) return []
  const all = readFileSync(file, 'utf8').trim().split('\n').reverse()
  return all.filter((line) => line !== '').slice(0, HISTORY_SIZE)
}

function remember(file: string, statement: string): void {
  try {
    if (!existsSync(file)) writeFileSync(file, '', { mode: 0o600 })
    appendFileSync(file, `${statement.replace(/\s+/g, ' ').trim()}\n`)
  } catch {
    // A home that cannot be written keeps no history, and that is all.
  }
}
