import type { Cli } from './command.ts'
import { maintainCommand } from './maintain-command.ts'
import { workCommand } from './work-command.ts'

/** Defines `faultline lake` and its subcommands. */
export function lakeCommand({ parent, runs }: Cli): void {
  const lake = parent
    .command('lake')
    .description('run a lake, the warehouse that several machines share: `lake work`, `lake maintain`')
    .addHelpText('after', '\nExamples:\n  faultline lake maintain\n  faultline lake work --once')
  for (const join of [workCommand, maintainCommand]) join({ parent: lake, runs })
}
