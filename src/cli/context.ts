import type { Overrides } from '../config/config.ts'
import type { Console } from './console.ts'

export interface Context {
  readonly console: Console
  readonly overrides: Overrides
  readonly verbose: boolean
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal
  /** Removes this secret from all later output. */
  keepSecret(secret: string): void
}
