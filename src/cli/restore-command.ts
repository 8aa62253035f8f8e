import { resolve } from 'node:path'
import { type Cli, json, type Nothing } from './command.ts'

/** `faultline restore`: puts a backup, or the former copy, in place of the published one. */
export function restoreCommand({ parent, runs }: Cli): void {
  parent
    .command('restore [file]')
    .description('go back to the copy that was published before the present one, or to a backup')
    .addOption(json())
    .addHelpText('after', HELP)
    .action(
      runs(async ({ console, overrides }, file, { json, ...unread }) => {
        unread satisfies Nothing
        const { loadConfig } = await import('../config/config.ts')
        const { resolveStorage } = await import('../sdk/resolve-storage.ts')
        const { instant } = await import('./text-table.ts')
        const { warehouse, timezone } = loadConfig(overrides)
        const backup = file === undefined ? undefined : resolve(file)
        const published = await resolveStorage(warehouse)
        const { from, asOf, notices } = await published.putBack(backup)
        for (const notice of notices) console.warn(notice)
        const asOfText = asOf === null ? 'never read completely' : `as of ${instant(asOf, timezone)}`
        console.out(
          json
            ? JSON.stringify({ warehouse, from, asOf })
            : `${warehouse} is ${from} again, ${asOfText}. \`faultline sync\` reads the rest.`,
        )
        return 0
      }),
    )
}

const HELP = `
The file is verified first. It takes the place of the published copy, which becomes the former one, so that a second
restore undoes the first. The next sync goes on from it and reads the rest again.

Examples:
  faultline restore
  faultline restore /backup/faultline.duckdb`
