import { resolve } from 'node:path'
import type { Settings } from '../settings/settings.ts'

/** Source of targets and definitions. If neither option is set, the defaults apply. */
export interface OwnRules {
  /** Path of a configuration whose section `reporting` applies, as for `faultline report`. */
  readonly config?: string | undefined
  /** Folder of custom SQL views and metrics. Overrides the folder in the configuration. */
  readonly sql?: string | undefined
}

/** Loads the settings. @throws ConfigError if the configuration is missing or invalid */
export async function settingsBy({ config, sql }: OwnRules, isPublished = false): Promise<Settings> {
  const settings =
    config === undefined ? undefined : (await import('../config/config.ts')).loadConfig({ config }).settings
  const rules = settings ?? (await import('../settings/settings.ts')).defaultSettings
  return sql === undefined ? rules : { ...rules, sql: { folder: resolve(sql), isPublished } }
}
