import { ConfigError } from '../errors.ts'
import { type Cli, json, type Nothing } from './command.ts'

export function copyCommand({ parent, runs }: Cli): void {
  parent
    .command('copy')
    .description('copy the warehouse to the one in another configuration, and verify that the two match')
    .requiredOption('--to <config>', 'configuration file of the target, whose warehouse is a file or a lake')
    .addOption(json())
    .addHelpText('after', HELP)
    .action(
      runs(async ({ console, overrides, signal }, { to: other, json, ...unread }) => {
        unread satisfies Nothing
        const { loadConfig } = await import('../config/config.ts')
        const { resolveStorage } = await import('../sdk/resolve-storage.ts')
        const { copyWarehouse } = await import('../warehouse/copy-accounts.ts')
        const { warehouse: from } = loadConfig(overrides)
        const { warehouse: to, settings, sync } = loadConfig({ config: other })
        if (String(from) === String(to)) {
          throw new ConfigError(`--to: ${other} has the same warehouse: ${to}.`, {
            next: 'Use the configuration of another warehouse. FAULTLINE_WAREHOUSE overrides the configuration.',
          })
        }
        const copied = await copyWarehouse(await resolveStorage(from), await resolveStorage(to), {
          ...{ settings, signal, memoryLimit: sync.memoryLimit },
          onEqual: (accounts, of) => console.progress(`${accounts} of ${of} accounts copied and equal`),
        })
        console.clearProgress()
        const { accounts, rows, tables, present } = copied
        const before = present > 0 ? `; ${present} of them existed before` : ''
        console.out(
          json
            ? JSON.stringify({ from, to, ...copied })
            : `${to}: ${accounts} accounts, ${rows.toLocaleString('en')} rows in ${tables} tables, equal to ${from}${before}.`,
        )
        return 0
      }, ' Copied accounts are kept. Copy again to complete the copy.'),
    )
}

const HELP = `
Copies the published data of every account and compares every value. The target must be empty, or contain a partial
earlier copy, which is then completed. Stop the syncs of both warehouses until the copy ends.

Examples:
  faultline copy --to lake.json
  faultline copy --config lake.json --to config.json`
