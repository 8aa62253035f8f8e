import { accountCommand } from './account-command.ts'
import { callCommand } from './call/call-command.ts'
import { checkCommand } from './check/check-command.ts'
import type { Cli } from './command.ts'
import { compareCommand } from './compare-command.ts'
import { configCommand } from './config-command.ts'
import { copyCommand } from './copy-command.ts'
import { demoCommand } from './demo-command.ts'
import { exportCommand } from './export/export-command.ts'
import { initCommand } from './init/init-command.ts'
import { lakeCommand } from './lake-command.ts'
import { mcpCommand } from './mcp-command.ts'
import { quarantineCommand } from './quarantine/quarantine-command.ts'
import { reportCommand } from './report/report-command.ts'
import { restoreCommand } from './restore-command.ts'
import { sandboxCommand } from './sandbox-command.ts'
import { schemaCommand } from './schema-command.ts'
import { serveCommand } from './serve/serve-command.ts'
import { sqlCommand } from './sql/sql-command.ts'
import { startCommand } from './start/start-command.ts'
import { statusCommand } from './status-command.ts'
import { syncCommand } from './sync/sync-command.ts'
import { verifyCommand } from './verify-command.ts'

const group =
  (heading: string) =>
  ({ parent }: Cli) =>
    void parent.commandsGroup(`${heading}:`)

/** All commands, in the order in which the help lists them. Each loads its code on use, so that `--help` is fast. */
export const commands: readonly ((cli: Cli) => void)[] = [
  group('Everyday commands'),
  ...[demoCommand, initCommand, checkCommand, syncCommand, statusCommand, reportCommand, serveCommand],
  group('Commands for analysis'),
  ...[sqlCommand, schemaCommand, compareCommand, exportCommand, mcpCommand, verifyCommand],
  group('Commands for operating'),
  ...[startCommand, configCommand, quarantineCommand, accountCommand, copyCommand, restoreCommand],
  ...[callCommand, sandboxCommand],
  ({ parent }) => void parent.helpCommand('help [command]', 'show the help of a command'),
  group('Commands for a lake'),
  lakeCommand,
]
