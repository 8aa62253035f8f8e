import type { Cli, Nothing } from './command.ts'

export function mcpCommand({ parent, runs }: Cli): void {
  parent
    .command('mcp')
    .description('run a read-only MCP server for AI assistants (stdio)')
    .option('--metrics-only', 'do not offer the tool `sql`')
    .option('--timeout <time>', 'maximum time of a call (default: 1m)')
    .option('--audit <file>', 'append one line per call to this file instead of standard error')
    .addHelpText('after', '\nExample:\n  faultline mcp --config /etc/faultline/config.json --metrics-only')
    .action(
      runs(async (context, { metricsOnly, timeout, audit, ...unread }) => {
        unread satisfies Nothing
        const { runMcpServer } = await import('./run-mcp-server.ts')
        return runMcpServer(context, { metricsOnly, timeout, audit })
      }),
    )
}
