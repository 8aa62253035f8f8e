import type { Account } from '../../config/accounts-section.ts'
import { foundConfig, requireService } from '../../config/config.ts'
import { type Effects, realEffects } from '../../effects.ts'
import type { Context } from '../context.ts'

interface LongRunning {
  readonly context: Context
  readonly effects: Effects
  /** All values that `context.keepSecret` received. */
  readonly secrets: readonly string[]
}

/**
 * Jobs fail if the configuration file is missing later. The log goes to standard error as JSON lines.
 * @throws ConfigError if an account has no address or key
 */
export function createLongRunningContext(base: Context, accounts: readonly Account[]): LongRunning {
  const secrets: string[] = []
  const context: Context = {
    ...base,
    overrides: foundConfig(base.overrides),
    keepSecret(secret) {
      // Each job loads the configuration again, so the same secrets arrive repeatedly.
      if (secrets.includes(secret)) return
      secrets.push(secret)
      base.keepSecret(secret)
    },
  }
  for (const account of accounts) context.keepSecret(requireService(account).appKey)
  const line = (level: string) => (message: string, facts?: Record<string, unknown>) =>
    base.console.note(JSON.stringify({ time: new Date().toISOString(), level, message, ...facts }))
  const debug = base.verbose ? line('debug') : () => {}
  const effects = realEffects({ debug, info: line('info'), warn: line('warn') })
  return { context, effects, secrets }
}
