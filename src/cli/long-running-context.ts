import { foundConfig } from '../config/config.ts'
import type { Context } from './context.ts'

/**
 * Returns a context that keeps the configuration path. It stores each secret only once, although every run adds its key
 * again.
 */
export function createLongRunningContext(base: Context): { context: Context; secrets: readonly string[] } {
  const secrets: string[] = []
  const context: Context = {
    ...base,
    overrides: foundConfig(base.overrides),
    keepSecret(secret) {
      if (secrets.includes(secret)) return
      secrets.push(secret)
      base.keepSecret(secret)
    },
  }
  return { context, secrets }
}
