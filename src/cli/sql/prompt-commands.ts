import { closestMatch, errorText, FaultlineError, unknownName } from '../../errors.ts'
import type { Relation } from '../../warehouse/schema/schema.ts'
import type { Console } from '../console.ts'
import { relationNamed } from '../schema-text.ts'
import { textTable } from '../text-table.ts'
import { listText, relationLines } from './describe.ts'
import { type OutputFormat, outputFormats } from './statement.ts'

export interface Prompted {
  /** Format of later results. The command `\format` changes it. */
  format: OutputFormat
  readonly console: Console
  readonly relations: Promise<readonly Relation[]>
}

interface PromptCommand {
  readonly usage: string
  readonly help: string
  run(argument: string, prompt: Prompted): void | Promise<void>
}

const commands: Readonly<Record<string, PromptCommand>> = {
  '\\?': { usage: '\\?', help: 'show this help', run: (_, { console }) => console.note(helpText()) },
  '\\d': {
    usage: '\\d [NAME]',
    help: 'show the columns of a table or view, or the parameters of a metric (default: list all)',
    run: async (name, { relations, console }) => {
      const all = await relations
      const width = console.screenWidth ?? console.width
      const relation = name === '' ? undefined : relationNamed(name.replace(/(\(\))?;?$/, ''), all)
      await console.write(relation ? relationLines(relation, width) : listText(all, width))
    },
  },
  '\\format': {
    usage: '\\format [NAME]',
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
    usage: '\\q',
    help: 'leave (Ctrl-D); Ctrl-C stops a statement, Tab completes names, the arrow keys recall statements',
    run: () => {},
  },
}

export const commandNames = Object.keys(commands)

export const LEAVING: readonly string[] = ['\\q', 'exit', 'quit']

/** Runs a command of the prompt and prints its errors. @returns false if the line is part of a statement */
export async function runCommand(line: string, prompt: Prompted): Promise<boolean> {
  const [, name, argument = ''] = /^(\\\S*)(.*)$/s.exec(line === 'help' ? '\\?' : line) ?? []
  if (name === undefined) return false
  // Also accepts `\d;`, and `\D` typed with Caps Lock.
  const command = commands[name.toLowerCase().replace(/;$/, '')]
  const { console } = prompt
  if (command === undefined) {
    console.note(`Unknown command ${name}. ${closestMatch(name, commandNames) ?? ''}`.trim())
    console.note('  \\? lists all commands.')
    return true
  }
  try {
    await command.run(argument.trim(), prompt)
  } catch (error) {
    if (!(error instanceof FaultlineError)) throw error
    console.note(errorText(error))
  }
  return true
}

function helpText(): string {
  return [
    'End a statement with ; to run it. Statements read the currently published data and cannot write.',
    ...textTable(Object.values(commands).map(({ usage, help }) => [`  ${usage}`, help])),
    'To write rows to a file, leave the prompt and run: faultline sql --to FILE "select …"',
  ].join('\n')
}
