import { homedir } from 'node:os'
import { join } from 'node:path'
import { closestMatch, errorText, FaultlineError, unknownName } from '../../errors.ts'
import { toFaultlineError } from '../../external-errors.ts'
import type { Relation } from '../../warehouse/schema/schema.ts'
import { relationNamed } from '../schema-text.ts'
import { listText, relationLines } from './describe.ts'
import { formatNamed, formatOf, openResultFile, type ResultFile } from './result-file.ts'
import { type OutputFormat, outputFormats } from './statement.ts'

/** How the results of a prompt are shown, and where. */
export interface Showing {
  format: OutputFormat
  /** Whether somebody named it: then it holds for a file whose name asks for none. */
  isNamed: boolean
  /** What `\x` goes back to. */
  before: OutputFormat
  /** Where they go instead of the screen, and in which format. */
  file: (ResultFile & { readonly format: OutputFormat | undefined }) | undefined
}

/** What a command of the prompt works with. */
export interface Prompted {
  readonly showing: Showing
  readonly relations: Promise<readonly Relation[]>
  readonly width: number
  /** @throws ConfigError where a file would take the place of what a command reads */
  refuseTaken(path: string): Promise<void>
  note(text: string): void
  /** Shows a long text, on the screen in any case. */
  show(text: string): Promise<void>
}

interface PromptCommand {
  readonly argument?: string
  readonly help: string
  run(argument: string, prompt: Prompted): void | Promise<void>
}

/** What begins with a backslash. */
const commands: Readonly<Record<string, PromptCommand>> = {
  '\\?': { help: 'this help', run: (_, { note }) => note(helpText()) },
  '\\d': {
    argument: '[NAME]',
    help: 'columns of a table or view, parameters of a metric; alone: all there is, in groups',
    run: async (name, { relations, width, show }) => {
      const all = await relations
      const wanted = name.replace(/(\(\))?;?$/, '')
      await show(name === '' ? listText(all, width) : relationLines(relationNamed(wanted, all), width))
    },
  },
  '\\o': {
    argument: '[FILE]',
    help: 'results go to a file, in the format of its name (.csv, .json, .md); alone: to the screen again',
    run: async (path, { showing, note, refuseTaken }) => {
      const done = closeFile(showing)
      if (done !== undefined) note(done)
      if (path === '' && done === undefined) note('Results go to the screen; \\o FILE sends them to a file.')
      if (path === '') return
      const format = showing.isNamed ? formatOf(path) : formatNamed(atHome(path), '\\format csv')
      await refuseTaken(atHome(path))
      showing.file = Object.assign(openResultFile(atHome(path)), { format })
      note(`Results go to ${path} as ${formatNow(showing)}, until \\o alone.`)
    },
  },
  '\\format': {
    argument: '[NAME]',
    help: `how results are written: ${outputFormats.join(', ')}`,
    run: (name, { showing, note }) => {
      const format = outputFormats.find((one) => one === name.toLowerCase())
      if (name === '') return note(`The format is ${formatNow(showing)}, of ${outputFormats.join(', ')}.`)
      if (!format) return note(`There is no format "${name}". ${unknownName(name, outputFormats)}`)
      setFormat(showing, format)
      showing.isNamed = true
      note(`The format is ${format}.`)
    },
  },
  '\\x': {
    help: 'a column a line, or as before again',
    run: (_, { showing, note }) => {
      setFormat(showing, showing.format === 'expanded' ? showing.before : 'expanded')
      note(showing.format === 'expanded' ? 'A column a line.' : `A ${showing.format}.`)
    },
  },
  '\\q': {
    help: 'leave (Ctrl-D); Ctrl-C stops a statement, Tab completes names, the arrow keys recall statements',
    run: () => {},
  },
}

/** Their names, as they are typed. */
export const commandNames = Object.keys(commands)

/** Words that leave the prompt. */
export const LEAVING: readonly string[] = ['\\q', 'exit', 'quit']

/** Does what a line asks of the prompt itself, and says what is wrong with it. @returns false where it begins a statement */
export async function obey(line: string, prompt: Prompted): Promise<boolean> {
  const typed = line === 'help' ? '\\?' : line
  if (!typed.startsWith('\\')) return false
  const [name = ''] = /^\S+/.exec(typed) ?? []
  // `\d` of `\d;`, and `\O` where Caps Lock is on.
  const command = Object.hasOwn(commands, name) ? name : name.toLowerCase().replace(/;$/, '')
  if (!Object.hasOwn(commands, command)) {
    prompt.note(`There is no ${name}. ${closestMatch(name, commandNames) ?? ''}`.trim())
    prompt.note('  \\? lists what there is.')
    return true
  }
  try {
    await commands[command]!.run(typed.slice(name.length).trim(), prompt)
  } catch (error) {
    const own = error instanceof FaultlineError ? error : toFaultlineError(error)
    prompt.note(errorText(own))
  }
  return true
}

/** The format of the next result. */
export function formatNow({ file, format }: Showing): OutputFormat {
  return file?.format ?? format
}

/** Closes the file that results go to. @returns what became of it; undefined where there is none */
export function closeFile(showing: Showing): string | undefined {
  const { file } = showing
  showing.file = undefined
  file?.close()
  if (!file) return undefined
  return file.isThere ? `Wrote ${file.path}` : `Nothing went to ${file.path}, which is as it was.`
}

function setFormat(showing: Showing, format: OutputFormat): void {
  if (showing.format !== 'expanded') showing.before = showing.format
  showing.format = format
  if (showing.file) showing.file = Object.assign(showing.file, { format: undefined })
}

function helpText(): string {
  const rows = Object.entries(commands).map(([name, { argument = '', help }]) => [
    `${name} ${argument}`,
    help,
  ])
  const width = Math.max(...rows.map(([left]) => left!.length)) + 2
  const lines = rows.map(([left, help]) => `  ${left!.padEnd(width)}${help}`)
  return [
    'End a statement with ; to run it. It reads what is published at that moment; nothing can be written.',
    ...lines,
    'Results longer than the screen go through $PAGER, else `less -FRX` where there is one; PAGER= switches that off.',
  ].join('\n')
}

/** A path whose `~` is the home folder, as a shell has it. */
function atHome(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
}
