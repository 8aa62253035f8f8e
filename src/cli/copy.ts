import { loadConfig } from '../config/config.ts'
import { ConfigError } from '../errors.ts'
import { copyWarehouse } from '../warehouse/copy-accounts.ts'
import type { Context } from './context.ts'

/** `faultline copy`: copies the warehouse of this configuration into that of another, and compares both. */
export async function copyCommand(
  { console, overrides, signal }: Context,
  flags: { readonly to: string; readonly json?: boolean },
): Promise<number> {
  const { warehouse: from } = loadConfig(overrides)
  const { warehouse: to, settings, sync } = loadConfig({ config: flags.to })
  if (String(from) === String(to)) {
    throw new ConfigError(`--to: ${flags.to} names the warehouse that is to be copied: ${to}.`, {
      next: 'Name the configuration of another warehouse. FAULTLINE_WAREHOUSE goes before what a configuration says.',
    })
  }
  const copied = await copyWarehouse(from, to, {
    ...{ settings, signal, memoryLimit: sync.memoryLimit },
    onEqual: (accounts, of) => console.progress(`${accounts} of ${of} accounts copied and equal`),
  })
  console.clearProgress()
  const { accounts, rows, tables, present } = copied
  const before = present > 0 ? `; ${present} of them were there before` : ''
  console.out(
    flags.json
      ? JSON.stringify({ from, to, ...copied })
      : `${to}: ${accounts} accounts, ${rows.toLocaleString('en')} rows in ${tables} tables, equal to ${from}${before}.`,
  )
  return 0
}
