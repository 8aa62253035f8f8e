import type { Cli, Nothing } from '../command.ts'

/** Defines `faultline serve`. */
export function serveCommand({ parent, runs }: Cli): void {
  parent
    .command('serve')
    .description('serve the pages on this machine, until stopped')
    .option('--from <dir>', 'folder of the pages (default: from the configuration)')
    .option('--port <n>', 'port on this machine; 0: any free one', '8000')
    .option('--watch', 'make reports again when their files are saved, and show them at once')
    .addHelpText('after', '\nExample:\n  faultline serve --watch')
    .action(
      runs(async (context, { from, port, watch, ...unread }) => {
        unread satisfies Nothing
        const { serve } = await import('./serve.ts')
        return serve(context, { from, port, watch })
      }),
    )
}
