import type { Cli, Nothing } from '../command.ts'

export function callCommand({ parent, runs }: Cli): void {
  const call = parent
    .command('call [operation] [input]')
    .description('call an operation of the service, with JSON, @file or - as input')
    .option('--yes', 'do not ask for confirmation before operations that change data')
    .option('--account <name>', 'use the key of this account, if several are configured')
    // Disables commander's own help, because the help of this command needs the contract, which is loaded only on use.
    .helpOption(false)
    .option('-h, --help', 'list the operations, or show the fields and limits of an operation')
    .addHelpText('after', '\nfaultline call --help lists the operations.')
  call.action(
    runs(async (context, operation, input, { yes, account, help, ...unread }) => {
      unread satisfies Nothing
      if (operation !== undefined && !help) {
        const { callOperation } = await import('./call.ts')
        return callOperation(context, operation, input, { yes, account })
      }
      const { operationHelp, operationsHelp } = await import('./help.ts')
      const text =
        operation === undefined ? `${call.helpInformation()}\n${operationsHelp()}` : operationHelp(operation)
      if (help) context.console.out(text)
      else context.console.note(text)
      return help ? 0 : 2
    }, ' No response was received. The service may have executed the request.'),
  )
}
