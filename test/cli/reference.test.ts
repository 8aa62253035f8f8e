import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { expect, test } from 'vitest'
import { Command } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { run } from '../support/cli.ts'

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

/** The section of a command, followed by those of its subcommands. */
function sectionsOf(command: CommandUnknownOpts, path: string): string[] {
  const help = command.createHelp()
  const terms = command.registeredArguments.map((argument) => help.argumentTerm(argument))
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help')
  const rows = options.map(
    (option) => `| \`${cell(help.optionTerm(option))}\` | ${cell(help.optionDescription(option))} |`,
  )
  const table = rows.length === 0 ? [] : ['', '| option | |', '|---|---|', ...rows]
  const usage = [path, ...terms.map((term) => (term.endsWith('...') ? `[${term}]` : term))]
  const name = command.commands.length > 0 && terms.length === 0 ? path : usage.join(' ')
  const section = [`## \`${name}\``, '', `${capitalized(command.description())}.`, ...table].join('\n')
  const below = command.commands.filter((one) => one.name() !== 'help')
  return [section, ...below.flatMap((one) => sectionsOf(one, `${path} ${one.name()}`))]
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

test('src/cli/README.md documents every command and option (`npx vitest -u` updates the page)', async () => {
  const parent = new Command('faultline')
  for (const join of commands) join({ parent, runs: () => async () => {}, loads: () => async () => {} })
  const { out } = await run(['--help'])
  const shared = out.slice(out.indexOf('Options:'), out.indexOf('Everyday commands:')).trimEnd()
  const text = [
    '# Commands',
    '',
    'This page is generated from the help texts. `faultline COMMAND --help` also shows examples.',
    '',
    'Results go to standard output, progress and errors to standard error. `NO_COLOR` and `FORCE_COLOR` are supported.',
    '',
    '| exit status | meaning |',
    '|--:|---|',
    '| 0 | success |',
    '| 1 | something failed or is incomplete; the rest was done |',
    '| 2 | wrong usage or configuration |',
    '| 3 | a gate of a report failed, or a receipt no longer holds |',
    '',
    '```text',
    shared,
    '```',
    '',
    parent.commands.flatMap((command) => sectionsOf(command, command.name())).join('\n\n'),
    '',
  ].join('\n')
  await expect(text).toMatchFileSnapshot('../../src/cli/README.md')
})
