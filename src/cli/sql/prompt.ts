import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
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

/** Input and output of the prompt. Tests replace them. */
interface PromptStreams {
  readonly input: Readable
  readonly output: Writable
  /** File with earlier statements. Only its owner can read it. */
  readonly history: string
  /** Relations whose names Tab completes (default: from `sql/` and the configuration). */
  readonly relations?: Relations
}

export async function sqlPrompt(
  context: Context,
  config: Config,
  run: Omit<StatementRun, 'signal'>,
  streams: PromptStreams = ofProcess(),
): Promise<number> {
  const { console, signal } = context
  const relations = streams.relations ?? relationsOf(config)
  const lines = createInterface({
    ...{ input: streams.input, output: streams.output, signal, terminal: true },
    ...{ history: earlier(streams.history), historySize: HISTORY_SIZE },
    completer: (line: string, done: (error: null, found: [string[], string]) => void) =>
      void relations.then((all) => done(null, completed(line, all))),
  })
  const prompt: Prompted = { console, relations, format: run.format }
  let running: AbortController | undefined
  let statement = ''
  const ask = () => {
    lines.setPrompt(statement === '' ? 'faultline> ' : '        -> ')
    lines.prompt()
  }
  lines.on('SIGINT', () => {
    if (running) return running.abort(new Error('stopped'))
    statement = ''
    // Moves the cursor to the end of the line (Ctrl-E), and deletes everything before the cursor (Ctrl-U).
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
        running = new AbortController()
        await runTyped(context, config, statement, { ...run, format: prompt.format }, running.signal)
        running = undefined
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
  const { stdin: input, stdout: output } = process
  return { input, output, history: join(homedir(), '.faultline_sql_history') }
}

type Relations = ReturnType<typeof readSchema>

/** Returns all relations. If the custom SQL is invalid, returns only the included relations. */
function relationsOf({ settings }: Config): Relations {
  return readSchema(resources, settings)
    .catch(() => readSchema(resources))
    .catch(() => [])
}

async function runTyped(
  context: Context,
  config: Config,
  statement: string,
  run: Omit<StatementRun, 'signal'>,
  stop: AbortSignal,
): Promise<void> {
  const { console } = context
  try {
    await runStatement(context, config, statement, {
      ...run,
      signal: AbortSignal.any([context.signal, stop]),
    })
  } catch (cause) {
    const error = cause instanceof FaultlineError ? cause : machineError(cause)
    if (stop.aborted) console.note('Stopped.')
    else if (error) console.note(errorText(error))
    else throw cause
  }
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

/** Returns earlier statements, the newest first, as readline expects. */
function earlier(file: string): string[] {
  if (!existsSync(file)) return []
  const all = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return all.reverse().slice(0, HISTORY_SIZE)
}

function remember(file: string, statement: string): void {
  try {
    if (!existsSync(file)) writeFileSync(file, '', { mode: 0o600 })
    appendFileSync(file, `${statement.replace(/\s+/g, ' ').trim()}\n`)
  } catch {
    // Without a writable home folder, the prompt works without history.
  }
}
