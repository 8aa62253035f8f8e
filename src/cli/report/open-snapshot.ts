import type { Config } from '../../config/config.ts'
import { parseState } from '../../config/parse-timestamp.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import { openReader, type Reader } from '../../warehouse/read/reader.ts'
import type { Context } from '../context.ts'
import { startOfDayIn } from '../option-dates.ts'

/** Opens the published data, or a past snapshot of a lake. @throws ConfigError for an unknown snapshot */
export async function openSnapshot(
  { console, signal }: Context,
  config: Config,
  state: string | undefined,
  more: { threads?: number } = {},
): Promise<Reader> {
  const reader = await openReader(await resolveStorage(config.warehouse), {
    ...more,
    memoryLimit: config.reporting.memoryLimit,
    settings: config.settings,
    signal,
    at: parseState(state, '--at', startOfDayIn(config)),
  })
  console.warn(reader.notice)
  return reader
}
