import { loadConfig } from '../config/config.ts'
import { ConfigError } from '../errors.ts'
import { maintain } from '../warehouse/lake/maintain.ts'
import type { Context } from './context.ts'

/** `faultline maintain`: merges small files of a lake, forgets old states and removes what nothing needs. */
export async function maintainCommand(
  { console, overrides }: Context,
  flags: { readonly json?: boolean },
): Promise<number> {
  const { warehouse: lake } = loadConfig(overrides)
  if (typeof lake === 'string') {
    throw new ConfigError('`maintain` is for a lake, and the warehouse is one file, which needs none.')
  }
  const done = await maintain(lake, lake.retentionDays)
  const { merged, expired, removed } = done
  console.out(
    flags.json
      ? JSON.stringify(done)
      : `${lake}: ${merged} merges of files, ${expired} former states forgotten, ${removed} files removed.`,
  )
  return 0
}
