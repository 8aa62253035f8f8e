import type { Cli } from './command.ts'

export function mcpCommand({ parent, loads }: Cli): void {
  parent
    .command('mcp')
    .description('run a read-only MCP server for AI assistants (stdio)')
    .option('--metrics-only', 'do not offer the tool `sql`')
    .option('--timeout <time>', 'maximum time of a call (default: 1m)')
    .option('--audit <file>', 'append one line per call to this file instead of standard error')
    .addHelpText('after', '\nExample:\n  faultline mcp --config /etc/faultline/config.json --metrics-only')
    .action(loads(async () => (await import('./run-mcp-server.ts')).runMcpServer))
}
