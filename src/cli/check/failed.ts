import { FaultlineError } from '../../errors.ts'
import { type Finding, fail } from './finding.ts'

/** An error of ours as a finding. @throws any other error: that is a fault in Faultline, not a finding */
export function failed(check: string, error: unknown): Finding {
  if (!(error instanceof FaultlineError)) throw error
  return fail(check, error.message, error.next)
}
