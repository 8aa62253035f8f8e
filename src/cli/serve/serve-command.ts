import type { Cli } from '../command.ts'

export function serveCommand({ parent, loads }: Cli): void {
  parent
    .command('serve')
    .description('serve the reports on this machine until stopped')
    .option('--from <dir>', 'folder of the reports (default: from the configuration)')
    .option('--port <n>', 'port on this machine (0: any free port)', '8000')
    .option('--watch', 'regenerate reports when their files change, and reload the browser')
    .addHelpText('after', '\nExample:\n  faultline serve --watch')
    .action(loads(async () => (await import('./serve.ts')).serve))
}
