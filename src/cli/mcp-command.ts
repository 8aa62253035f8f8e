import type { Cli, Nothing } from './command.ts'

/** Defines `faultline mcp`. */
export function mcpCommand({ parent, runs }: Cli): void {
  parent
    .command('mcp')
    .description(
      'answer questions of assistants (Model Context Protocol, over standard input and output); reads only',
    )
    .option('--metrics-only', 'without the tool `sql`')
    .option('--timeout <time>', 'how long one call may take (default: 1m)')
    .option('--audit <file>', 'append a line of each call to this file, not to standard error')
    .addHelpText('after', '\nExample:\n  faultline mcp --config /etc/faultline/config.json --metrics-only')
    .action(
      runs(async (context, { metricsOnly, timeout, audit, ...unread }) => {
        unread satisfies Nothing
        const { runMcpServer } = await import('./run-mcp-server.ts')
        return runMcpServer(context, { metricsOnly, timeout, audit })
      }),
    )
}
