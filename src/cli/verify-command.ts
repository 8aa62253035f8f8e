import type { Cli, Nothing } from './command.ts'

/** Defines `faultline verify`. */
export function verifyCommand({ parent, runs }: Cli): void {
  parent
    .command('verify [receipt]')
    .description(
      'compute a receipt of `mcp` again: a file, or standard input; exit status 3 when it does not hold',
    )
    .addHelpText('after', '\nExample:\n  faultline verify receipt.json')
    .action(
      runs(async (context, receipt, { ...unread }) => {
        unread satisfies Nothing
        const { verifyReceipt } = await import('./verify-receipt.ts')
        return verifyReceipt(context, receipt)
      }),
    )
}
