import type { Overrides } from '../config.ts'
import type { Console } from './console.ts'

/** What every command is given. */
export interface Context {
  readonly console: Console
  readonly overrides: Overrides
  readonly verbose: boolean
  /** Aborted by Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
  /** From here on the value is taken out of everything that is printed. */
  keepSecret(secret: string): void
}
