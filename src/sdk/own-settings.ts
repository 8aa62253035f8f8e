import { resolve } from 'node:path'
import type { Settings } from '../settings/settings.ts'

/** What figures follow: the defaults, unless something is given. */
export interface OwnRules {
  /** Path of a configuration whose `reporting` holds, as it does for `faultline report`: targets, exclusions, dimensions and all else. */
  readonly config?: string | undefined
  /** Folder of views and metrics of your own, in SQL; goes before that of the configuration. */
  readonly sql?: string | undefined
}

/**
 * The settings of rules of one's own.
 * @throws ConfigError for mistakes in the configuration, or where there is none
 */
export async function settingsBy({ config, sql }: OwnRules, isPublished = false): Promise<Settings> {
  const settings =
    config === undefined ? undefined : (await import('../config/config.ts')).loadConfig({ config }).settings
  const rules = settings ?? (await import('../settings/settings.ts')).defaultSettings
  return sql === undefined ? rules : { ...rules, sql: { folder: resolve(sql), isPublished } }
}
