import type { Cli } from './command.ts'
import { maintainCommand } from './maintain-command.ts'
import { workCommand } from './work-command.ts'

export function lakeCommand(cli: Cli): void {
  const lake = cli.parent
    .command('lake')
    .description('operate a lake, a warehouse shared by several machines: `lake work`, `lake maintain`')
    .addHelpText('after', '\nExamples:\n  faultline lake maintain\n  faultline lake work --once')
  for (const join of [workCommand, maintainCommand]) join({ ...cli, parent: lake })
}
