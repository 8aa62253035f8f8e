import { FaultlineError } from '../../errors.ts'

/** What one check found. */
export interface Finding {
  /** What was looked at, such as `key` or `read incidents`. */
  readonly check: string
  readonly level: 'ok' | 'warn' | 'fail'
  /** What was found, in one line. */
  readonly message: string
  /** What to do about it. */
  readonly next?: string | undefined
}

/** All is well. */
export const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message })

/** It works, but needs attention. */
export function warn(check: string, message: string, next: string): Finding {
  return { check, level: 'warn', message, next }
}

/** It will not work. */
export function fail(check: string, message: string, next?: string): Finding {
  return { check, level: 'fail', message, next }
}

/** An error of ours as a finding. @throws any other error: that is a fault in Faultline, not a finding */
export function failed(check: string, error: unknown): Finding {
  if (!(error instanceof FaultlineError)) throw error
  return fail(check, error.message, error.next)
}
