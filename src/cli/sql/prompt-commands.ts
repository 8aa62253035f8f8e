import { closestMatch, errorText, FaultlineError, unknownName } from '../../errors.ts'
import type { Relation } from '../../warehouse/schema/schema.ts'
import type { Console } from '../console.ts'
import { relationNamed } from '../schema-text.ts'
import { listText, relationLines } from './describe.ts'
import { type OutputFormat, outputFormats } from './statement.ts'

/** State for commands of the prompt. */
export interface Prompted {
  format: OutputFormat
  readonly console: Console
  readonly relations: Promise<readonly Relation[]>
}

interface PromptCommand {
  readonly argument?: string
  readonly help: string
  run(argument: string, prompt: Prompted): void | Promise<void>
}

const commands: Readonly<Record<string, PromptCommand>> = {
  '\\?': { help: 'show this help', run: (_, { console }) => console.note(helpText()) },
  '\\d': {
    argument: '[NAME]',
    help: 'show the columns of a table or view, or the parameters of a metric (default: list all)',
    run: async (name, { relations, console }) => {
      const all = await relations
      const width = console.screenWidth ?? console.width
      const wanted = name.replace(/(\(\))?;?$/, '')
      await console.write(
        name === '' ? listText(all, width) : relationLines(relationNamed(wanted, all), width),
      )
    },
  },
  '\\format': {
    argument: '[NAME]',
    help: `set the format of results: ${outputFormats.join(', ')}`,
    run: (name, prompt) => {
      const format = outputFormats.find((one) => one === name.toLowerCase())
      if (name !== '' && !format)
        return prompt.console.note(`Unknown format "${name}". ${unknownName(name, outputFormats)}`)
      prompt.format = format ?? prompt.format
      prompt.console.note(`The format is ${prompt.format}. Available: ${outputFormats.join(', ')}.`)
    },
  },
  '\\q': {
    help: 'leave (Ctrl-D); Ctrl-C stops a statement, Tab completes names, the arrow keys recall statements',
    run: () => {},
  },
}

/** Names of the commands, as typed. */
export const commandNames = Object.keys(commands)

export const LEAVING: readonly string[] = ['\\q', 'exit', 'quit']

/** Runs a command of the prompt and prints its errors. @returns false if the line is part of a statement */
export async function runCommand(line: string, prompt: Prompted): Promise<boolean> {
  const typed = line === 'help' ? '\\?' : line
  if (!typed.startsWith('\\')) return false
  const [name = ''] = /^\S+/.exec(typed) ?? []
  // Accepts `\d;`, and `\D` typed with Caps Lock.
  const command = Object.hasOwn(commands, name) ? name : name.toLowerCase().replace(/;$/, '')
  const { console } = prompt
  if (!Object.hasOwn(commands, command)) {
    console.note(`Unknown command ${name}. ${closestMatch(name, commandNames) ?? ''}`.trim())
    console.note('  \\? lists all commands.')
    return true
  }
  try {
    await commands[command]!.run(typed.slice(name.length).trim(), prompt)
  } catch (error) {
    if (!(error instanceof FaultlineError)) throw error
    console.note(errorText(error))
  }
  return true
}

function helpText(): string {
  const rows = Object.entries(commands).map(([name, { argument = '', help }]) => [
    `${name} ${argument}`,
    help,
  ])
  const width = Math.max(...rows.map(([left]) => left!.length)) + 2
  const lines = rows.map(([left, help]) => `  ${left!.padEnd(width)}${help}`)
  return [
    'End a statement with ; to run it. Statements read the currently published data and cannot write.',
    ...lines,
    'To write rows to a file, leave the prompt and run: faultline sql --to FILE "select …"',
  ].join('\n')
}
