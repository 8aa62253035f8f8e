import { ConfigError, FaultlineError } from '../../errors.ts'

export interface CheckResult {
  readonly check: string
  readonly level: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly next?: string | undefined
  readonly isConfiguration?: boolean
}

export const ok = (check: string, message: string): CheckResult => ({ check, level: 'ok', message })

export function warn(check: string, message: string, next: string): CheckResult {
  return { check, level: 'warn', message, next }
}

export function fail(check: string, message: string, next?: string): CheckResult {
  return { check, level: 'fail', message, next }
}

/** Converts a Faultline error to a result. @throws any other error, because it is a bug */
export function failed(check: string, error: unknown): CheckResult {
  if (!(error instanceof FaultlineError)) throw error
  return { ...fail(check, error.message, error.next), isConfiguration: error instanceof ConfigError }
}
