import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { Config } from '../../config/config.ts'
import { findPager } from '../../config/pager.ts'
import { errorText, FaultlineError } from '../../errors.ts'
import { machineError } from '../../external-errors.ts'
import { resources } from '../../resources/index.ts'
import { type Relation, readSchema } from '../../warehouse/schema/schema.ts'
import { refuseToOverwriteInputs } from '../check-output-path.ts'
import type { Console } from '../console.ts'
import type { Context } from '../context.ts'
import { pagedConsole, type Terminal } from './paged-console.ts'
import {
  closeFile,
  commandNames,
  formatNow,
  LEAVING,
  obey,
  type Prompted,
  type Showing,
} from './prompt-commands.ts'
import { outputFormats, runStatement, type StatementRun } from './statement.ts'

const HISTORY_SIZE = 500
const WORDS = 'select,from,where,group by all,order by,limit,join,using,count(*),median('.split(',')

/** Where the prompt reads and shows its lines; the process's terminal by default. */
interface PromptStreams {
  readonly input: Readable & { setRawMode?: (isRaw: boolean) => unknown }
  readonly output: Writable
  /** File of earlier statements, readable by its owner only. */
  readonly history: string
  /** What shows long results and how large the screen is; undefined where they are printed as they are. */
  readonly pager: Pick<Terminal, 'pager' | 'columns' | 'rows'> | undefined
  /** What can be named; read from `sql/` and the configuration by default. */
  readonly relations?: Relations
}

/** A prompt that runs. */
interface Running {
  readonly context: Context
  readonly showing: Showing
  readonly terminal: Terminal | undefined
  /** Aborts the statement that runs. */
  stop: AbortController | undefined
}

/** `faultline sql` on a terminal: statements one after the other, with completion and history. Returns the exit status. */
export async function sqlPrompt(
  context: Context,
  config: Config,
  run: Omit<StatementRun, 'signal'>,
  streams: PromptStreams = ofProcess(context.console),
): Promise<number> {
  const { console, signal } = context
  const relations = streams.relations ?? relationsOf(config)
  const lines = openLines(streams, relations, signal)
  const prompt: Running = {
    context,
    showing: {
      format: run.format,
      isNamed: run.format !== 'table',
      before: run.format === 'expanded' ? 'table' : run.format,
      file: undefined,
    },
    terminal: streams.pager && { ...streams.pager, ...lending(lines, streams) },
    stop: undefined,
  }
  let statement = ''
  const ask = () => {
    lines.setPrompt(statement === '' ? 'faultline> ' : '        -> ')
    lines.prompt()
  }
  lines.on('SIGINT', () => {
    if (prompt.stop) return prompt.stop.abort(new Error('stopped'))
    statement = ''
    // Its line, to the end and then all of it.
    lines.write(null, { ctrl: true, name: 'e' })
    lines.write(null, { ctrl: true, name: 'u' })
    ask()
  })
  console.note(`${config.warehouse}. \\? for help, \\q to leave.`)
  ask()
  try {
    for await (const line of lines) {
      const word = statement === '' ? line.trim() : ''
      if (LEAVING.includes(word)) break
      if (!(await obey(word, promptedOf(prompt, relations)))) {
        statement += statement === '' ? line : `\n${line}`
        const isComplete = /;\s*$/.test(line)
        if (isComplete) remember(streams.history, statement)
        if (isComplete) await runTyped(prompt, config, statement, run)
        if (isComplete || statement.trim() === '') statement = ''
      }
      ask()
    }
  } finally {
    const done = closeFile(prompt.showing)
    if (done !== undefined) console.note(done)
  }
  lines.close()
  signal.throwIfAborted()
  return 0
}

function ofProcess({ screenWidth }: Console): PromptStreams {
  const pager = findPager()
  const { stdin, stdout } = process
  const isShown = pager !== null && screenWidth !== undefined
  return {
    input: stdin,
    output: stdout,
    history: join(homedir(), '.faultline_sql_history'),
    pager: isShown ? { pager, columns: screenWidth, rows: stdout.rows } : undefined,
  }
}

type Relations = ReturnType<typeof readSchema>

/** Of the user's own SQL too. Without names there is a prompt all the same. */
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

/** Leaves the keyboard to a pager, which reads it itself. */
function lending(lines: Interface, { input }: PromptStreams): Pick<Terminal, 'lend' | 'takeBack'> {
  return {
    lend() {
      lines.pause()
      input.setRawMode?.(false)
    },
    takeBack() {
      input.setRawMode?.(true)
      lines.resume()
    },
  }
}

function promptedOf({ context, showing, terminal }: Running, relations: Relations): Prompted {
  const { console, signal } = context
  return {
    showing,
    relations,
    width: console.screenWidth ?? console.width,
    refuseTaken: (path) => refuseToOverwriteInputs(path, '\\o', context.overrides),
    note: console.note,
    async show(text) {
      const paged = terminal && pagedConsole(console, terminal, signal)
      await (paged?.console ?? console).write(text)
      await paged?.end()
    },
  }
}

/** Runs a statement until it ends or is stopped, and says what is wrong with it. */
async function runTyped(
  prompt: Running,
  config: Config,
  statement: string,
  run: Omit<StatementRun, 'signal'>,
): Promise<void> {
  const { console } = prompt.context
  const stop = new AbortController()
  prompt.stop = stop
  const to = resultsOf(prompt)
  const signal = AbortSignal.any([prompt.context.signal, stop.signal, ...(to.closed ? [to.closed] : [])])
  const format = formatNow(prompt.showing)
  try {
    await runStatement({ ...prompt.context, console: to.console }, config, statement, {
      ...run,
      format,
      signal,
    })
    await to.end(true)
  } catch (cause) {
    await to.end(false)
    const error = cause instanceof FaultlineError ? cause : machineError(cause)
    if (stop.signal.aborted) console.note('Stopped.')
    else if (error && !to.closed?.aborted) console.note(errorText(error))
    else if (!to.closed?.aborted) throw cause
  }
  prompt.stop = undefined
}

/** Where results go. */
interface Results {
  readonly console: Console
  /** Aborted when no more is wanted. */
  readonly closed?: AbortSignal
  end(isWhole: boolean): Promise<void>
}

function resultsOf({ context, showing: { file }, terminal }: Running): Results {
  const { console } = context
  if (file) {
    const write = async (text: string) => file.write(text)
    return {
      console: { ...console, screenWidth: undefined, write },
      async end(isWhole) {
        if (!isWhole) return file.undo()
        file.keep()
        console.note(`Written to ${file.path}.`)
      },
    }
  }
  return terminal ? pagedConsole(console, terminal, context.signal) : { console, end: async () => undefined }
}

/** Words that begin as the last of the line does. */
function completed(line: string, relations: readonly Relation[]): [string[], string] {
  const command = /^\s*(\\\S*)$/.exec(line)?.[1]
  if (command !== undefined) return [commandNames.filter((name) => name.startsWith(command)), command]
  const last = /[\w*(]*$/.exec(line)![0]
  const names = relations.flatMap(({ name, columns }) => [name, ...columns.map((one) => one.name)])
  const words = /^\s*\\format\s/.test(line) ? outputFormats : [...names, ...WORDS]
  const found = [...new Set<string>(words)].filter((name) => name.startsWith(last.toLowerCase()))
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
