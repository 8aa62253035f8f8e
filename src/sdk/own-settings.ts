import { resolve } from 'node:path'
import type { Settings } from '../config/settings.ts'

/** Settings with a folder of the user's own SQL, where one is given. */
export function withOwn(settings: Settings, folder: string | undefined, isPublished = false): Settings {
  return folder === undefined ? settings : { ...settings, sql: { folder: resolve(folder), isPublished } }
}
