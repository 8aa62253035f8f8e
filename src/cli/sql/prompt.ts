import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { Config } from '../../config/config.ts'
import { errorText, FaultlineError } from '../../errors.ts'
import { machineError } from '../../external-errors.ts'
import { resources } from '../../resources/index.ts'
import { type Relation, readSchema } from '../../warehouse/schema/schema.ts'
import type { Context } from '../context.ts'
import { commandNames, LEAVING, type Prompted, runCommand } from './prompt-commands.ts'
import { isEmpty, outputFormats, runStatement, type StatementRun } from './statement.ts'

const HISTORY_SIZE = 500
const WORDS = 'select,from,where,group by all,order by,limit,join,using,count(*),median('.split(',')

/** Streams of the prompt (default: the terminal). */
interface PromptStreams {
  readonly input: Readable
  readonly output: Writable
  /** File with earlier statements. Only its owner can read it. */
  readonly history: string
  /** Relations for completion (default: from `sql/` and the configuration). */
  readonly relations?: Relations
}

interface Running extends Prompted {
  readonly context: Context
  stop: AbortController | undefined
}

/** Runs the prompt of `faultline sql` on a terminal, with completion and history. Returns the exit status. */
export async function sqlPrompt(
  context: Context,
  config: Config,
  run: Omit<StatementRun, 'signal'>,
  streams: PromptStreams = ofProcess(),
): Promise<number> {
  const { console, signal } = context
  const relations = streams.relations ?? relationsOf(config)
  const lines = openLines(streams, relations, signal)
  const prompt: Running = { context, console, relations, format: run.format, stop: undefined }
  let statement = ''
  const ask = () => {
    lines.setPrompt(statement === '' ? 'faultline> ' : '        -> ')
    lines.prompt()
  }
  lines.on('SIGINT', () => {
    if (prompt.stop) return prompt.stop.abort(new Error('stopped'))
    statement = ''
    // Clears the line.
    lines.write(null, { ctrl: true, name: 'e' })
    lines.write(null, { ctrl: true, name: 'u' })
    ask()
  })
  console.note(`${config.warehouse}. \\? for help, \\q to leave.`)
  ask()
  for await (const line of lines) {
    // As in psql, a line that begins with a backslash is a command, even within an unfinished statement.
    const word = statement === '' || line.trimStart().startsWith('\\') ? line.trim() : ''
    if (LEAVING.includes(word)) break
    if (!(await runCommand(word, prompt))) {
      statement += statement === '' ? line : `\n${line}`
      const isComplete = /;\s*$/.test(line)
      if (isComplete && !isEmpty(statement)) {
        remember(streams.history, statement)
        await runTyped(prompt, config, statement, run)
      }
      if (isComplete || isEmpty(statement)) statement = ''
    }
    ask()
  }
  lines.close()
  signal.throwIfAborted()
  return 0
}

function ofProcess(): PromptStreams {
  const { stdin, stdout } = process
  return { input: stdin, output: stdout, history: join(homedir(), '.faultline_sql_history') }
}

type Relations = ReturnType<typeof readSchema>

/** Includes custom SQL if it is valid. The prompt also works if no names are known. */
function relationsOf({ settings }: Config): Relations {
  return readSchema(resources, settings)
    .catch(() => readSchema(resources))
    .catch(() => [])
}

function openLines(
  { input, output, history }: PromptStreams,
  relations: Relations,
  signal: AbortSignal,
): Interface {
  return createInterface({
    ...{ input, output, signal, terminal: true },
    history: earlier(history),
    historySize: HISTORY_SIZE,
    completer: (line: string, done: (error: Error | null, found: [string[], string]) => void) =>
      void relations.then((all) => done(null, completed(line, all))),
  })
}

async function runTyped(
  prompt: Running,
  config: Config,
  statement: string,
  run: Omit<StatementRun, 'signal'>,
): Promise<void> {
  const { console, context, format } = prompt
  const stop = new AbortController()
  prompt.stop = stop
  const signal = AbortSignal.any([context.signal, stop.signal])
  try {
    await runStatement(context, config, statement, { ...run, format, signal })
  } catch (cause) {
    const error = cause instanceof FaultlineError ? cause : machineError(cause)
    if (stop.signal.aborted) console.note('Stopped.')
    else if (error) console.note(errorText(error))
    else throw cause
  }
  prompt.stop = undefined
}

function completed(line: string, relations: readonly Relation[]): [string[], string] {
  const command = /^\s*(\\\S*)$/.exec(line)?.[1]
  if (command !== undefined) return [commandNames.filter((name) => name.startsWith(command)), command]
  const last = /[\w*(]*$/.exec(line)![0]
  const names = relations.flatMap(({ name, columns }) => [name, ...columns.map((one) => one.name)])
  const words = /^\s*\\format\s/.test(line) ? outputFormats : [...names, ...WORDS]
  const found = [...new Set<string>(words)].filter((name) => name.startsWith(last.toLowerCase()))
  return [last === '' ? [] : found.sort(), last]
}

/** Newest first, as readline expects. */
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
    // History is not saved if the home folder is not writable.
  }
}
