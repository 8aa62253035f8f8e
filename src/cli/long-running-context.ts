import { foundConfig } from '../config/config.ts'
import type { Context } from './context.ts'

/** The context of what runs for long: it goes on with the configuration it began with, and keeps each secret once, though every run gives its key again. */
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
