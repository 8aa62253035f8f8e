import type { Cli } from './command.ts'

export function openCommand({ parent, loads }: Cli): void {
  parent
    .command('open [page]')
    .description('open the index or a report page in the browser')
    .option('--from <dir>', 'folder of the reports (default: from the configuration)')
    .addHelpText('after', '\nExample:\n  faultline open mtta-mttr')
    .action(loads(async () => (await import('./open-page.ts')).openPage))
}
