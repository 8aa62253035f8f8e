import { ConfigError, FaultlineError } from '../../errors.ts'

/** One line in the output of `faultline check`. */
export interface CheckResult {
  readonly check: string
  readonly level: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly next?: string | undefined
  /** Whether a failure is an error in the configuration. The exit status is then 2. */
  readonly isConfiguration?: boolean
}

const result =
  (level: CheckResult['level']) =>
  (check: string, message: string, next?: string): CheckResult => ({ check, level, message, next })

export const ok = result('ok')
export const warn = result('warn')
export const fail = result('fail')

/** Runs a check. A Faultline error becomes a failed result. @throws any other error, because it is a bug */
export async function resultsOf(
  check: string,
  act: () => Promise<CheckResult | CheckResult[]> | CheckResult | CheckResult[],
): Promise<CheckResult[]> {
  try {
    return [await act()].flat()
  } catch (error) {
    return [failed(check, error)]
  }
}

export function failed(check: string, error: unknown): CheckResult {
  if (!(error instanceof FaultlineError)) throw error
  return { ...fail(check, error.message, error.next), isConfiguration: error instanceof ConfigError }
}
