import { ConfigError, FaultlineError } from '../../errors.ts'

export interface CheckResult {
  /** What was looked at, such as `key` or `read incidents`. */
  readonly check: string
  readonly level: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly next?: string | undefined
  /** Whether it failed because the configuration is wrong. */
  readonly isConfiguration?: boolean
}

export const ok = (check: string, message: string): CheckResult => ({ check, level: 'ok', message })

export function warn(check: string, message: string, next: string): CheckResult {
  return { check, level: 'warn', message, next }
}

export function fail(check: string, message: string, next?: string): CheckResult {
  return { check, level: 'fail', message, next }
}

/** An error of ours as a finding. @throws any other error: that is a fault in Faultline, not a finding */
export function failed(check: string, error: unknown): CheckResult {
  if (!(error instanceof FaultlineError)) throw error
  return { ...fail(check, error.message, error.next), isConfiguration: error instanceof ConfigError }
}
