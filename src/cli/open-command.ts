import { resolve } from 'node:path'
import type { Cli, Nothing } from './command.ts'

export function openCommand({ parent, runs }: Cli): void {
  parent
    .command('open [page]')
    .description('open the index or a report page in the browser')
    .option('--from <dir>', 'folder of the reports (default: from the configuration)')
    .addHelpText('after', '\nExample:\n  faultline open mtta-mttr')
    .action(
      runs(async ({ console, overrides }, page, { from, ...unread }) => {
        unread satisfies Nothing
        const { loadConfig } = await import('../config/config.ts')
        const { openPage } = await import('./open-page.ts')
        await openPage(console, resolve(from ?? loadConfig(overrides).out), page)
        return 0
      }),
    )
}
