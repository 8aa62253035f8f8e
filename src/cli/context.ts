import { foundConfig, type Overrides } from '../config/config.ts'
import type { Console } from './console.ts'

/** The environment of a command. */
export interface Context {
  readonly console: Console
  readonly overrides: Overrides
  readonly verbose: boolean
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal
  /** Removes the value from all later output. */
  keepSecret(secret: string): void
}

/** The context of what runs for long: it goes on with the configuration it began with, and keeps each secret once, though every run gives its key again. */
export function lasting(base: Context): { context: Context; secrets: readonly string[] } {
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
