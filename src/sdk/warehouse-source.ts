import { resolve } from 'node:path'
import type { Settings } from '../settings/settings.ts'
import type { Reader } from '../warehouse/read/reader.ts'
import { type LakeOptions, parseLocation } from './parse-location.ts'
import { resolveStorage } from './resolve-storage.ts'

/** A published warehouse, with the configuration and the custom SQL that apply to it. */
export interface WarehouseSource {
  /** Path of the DuckDB file that `sync` publishes, or the address of a lake. */
  readonly warehouse: string
  /** Password and storage of the lake, if `warehouse` is a lake. */
  readonly lake?: LakeOptions | undefined
  /** Path of a configuration. Its section `reporting` applies, as in `faultline report`. Default: no configuration. */
  readonly config?: string | undefined
  /** Folder of custom SQL views and metrics. Overrides the folder in the configuration. */
  readonly sql?: string | undefined
}

export const SOURCE = { warehouse: 'required', lake: 'object', config: 'text', sql: 'text' } as const

/** Opens the warehouse. @throws ConfigError for an invalid option, WarehouseError for a missing or invalid warehouse */
export async function openSource(
  { warehouse, lake, ...rules }: WarehouseSource,
  more: { readonly signal?: AbortSignal | undefined; readonly events?: Settings['events'] } = {},
): Promise<Reader> {
  const { openReader } = await import('../warehouse/read/reader.ts')
  const { signal, ...events } = more
  const published = await resolveStorage(await parseLocation(warehouse, lake))
  return openReader(published, { settings: { ...(await settingsBy(rules)), ...events }, signal })
}

/** Loads the reporting settings. @throws ConfigError if the configuration is missing or invalid */
export async function settingsBy(
  { config, sql }: Pick<WarehouseSource, 'config' | 'sql'>,
  isPublished = false,
): Promise<Settings> {
  const settings =
    config === undefined
      ? (await import('../settings/settings.ts')).defaultSettings
      : (await import('../config/config.ts')).loadConfig({ config }).settings
  return sql === undefined ? settings : { ...settings, sql: { folder: resolve(sql), isPublished } }
}
