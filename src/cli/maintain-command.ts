import type { Published } from '../warehouse/published.ts'
import { type Cli, json, type Nothing } from './command.ts'

export function maintainCommand({ parent, runs }: Cli): void {
  parent
    .command('maintain')
    .description('compact a lake: merge small files, expire old snapshots, delete unused files')
    .option('--repair', 'only repair accounts with duplicated rows')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline lake maintain')
    .action(
      runs(async ({ console, overrides }, { repair, json, ...unread }) => {
        unread satisfies Nothing
        const { loadConfig } = await import('../config/config.ts')
        const { stringifyJson } = await import('../contract/json.ts')
        const { resolveStorage } = await import('../sdk/resolve-storage.ts')
        const published = await resolveStorage(loadConfig(overrides).warehouse)
        const { name } = published
        if (repair) {
          const repaired = await published.repair()
          console.out(json ? stringifyJson({ repaired }) : repairedText(name, repaired))
          return 0
        }
        const done = await published.maintain()
        const { merged, expired, removed } = done
        console.out(
          json
            ? JSON.stringify(done)
            : `${name}: files merged ${merged} times, ${expired} snapshots expired, ${removed} files deleted.`,
        )
        return 0
      }),
    )
}

function repairedText(name: string, repaired: Awaited<ReturnType<Published['repair']>>): string {
  if (repaired.length === 0) return `${name}: nothing to repair. Each account has exactly the published rows.`
  const lines = repaired.map(({ accountId, tables }) => {
    const changed = tables.map(({ table, before, after }) => `${table} ${before} → ${after}`)
    return `Account ${accountId}: ${changed.join(', ')} rows; every value matches the published data.`
  })
  return lines.join('\n')
}
