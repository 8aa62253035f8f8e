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

/** It works, but somebody should know. */
export const warn = (check: string, message: string, next: string): Finding => ({
  check,
  level: 'warn',
  message,
  next,
})

/** It will not work. */
export const fail = (check: string, message: string, next?: string): Finding => ({
  check,
  level: 'fail',
  message,
  next,
})
