import type { Cli, Nothing } from '../command.ts'

export function reportSchemaCommand({ parent, runs }: Cli): void {
  parent
    .command('schema')
    .description('print the JSON Schema of front matter and blocks, for editors')
    .addHelpText('after', '\nExample:\n  faultline report schema > report.schema.json')
    .action(
      runs(async ({ console }, unread) => {
        unread satisfies Nothing
        const { reportJsonSchema } = await import('../../report/parse/block-schema.ts')
        console.out(JSON.stringify(reportJsonSchema(), null, 2))
        return 0
      }),
    )
}
