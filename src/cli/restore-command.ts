import { resolve } from 'node:path'
import { type Cli, json, type Nothing } from './command.ts'

export function restoreCommand({ parent, runs }: Cli): void {
  parent
    .command('restore [file]')
    .description('restore the previously published copy, or a backup')
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
        const asOfText = asOf === null ? 'never completely synced' : `as of ${instant(asOf, timezone)}`
        console.out(
          json
            ? JSON.stringify({ warehouse, from, asOf })
            : `${warehouse} was restored from ${from}, ${asOfText}. Run \`faultline sync\` for newer data.`,
        )
        return 0
      }),
    )
}

const HELP = `
The file is verified first. It replaces the published copy, which becomes the previous copy. A second restore therefore
undoes the first. The next sync continues from the restored copy.

Examples:
  faultline restore
  faultline restore /backup/faultline.duckdb`
