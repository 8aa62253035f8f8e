import { version } from '../version.ts'
import type { Cli, Nothing } from './command.ts'

/** `faultline man`: the manual page. */
export function manCommand({ parent, runs }: Cli): void {
  parent
    .command('man')
    .description('print the manual page')
    .addHelpText('after', '\nExample:\n  faultline man | man -l -')
    .action(
      runs(async ({ console }, unread) => {
        unread satisfies Nothing
        const { manualPage } = await import('./completion.ts')
        await console.write(manualPage(parent, version))
        return 0
      }),
    )
}
