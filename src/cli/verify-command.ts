import type { Cli, Nothing } from './command.ts'

export function verifyCommand({ parent, runs }: Cli): void {
  parent
    .command('verify [receipt]')
    .description('recompute an `mcp` receipt (file or standard input); exit status 3 if it no longer matches')
    .addHelpText('after', '\nExample:\n  faultline verify receipt.json')
    .action(
      runs(async (context, receipt, { ...unread }) => {
        unread satisfies Nothing
        const { verifyReceipt } = await import('./verify-receipt.ts')
        return verifyReceipt(context, receipt)
      }),
    )
}
