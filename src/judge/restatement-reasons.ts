import type { RestatementReason } from '../render/result.ts'
import type { FigureBasis } from './figure-dependencies.ts'

/** A group of incidents that changed in the same way since an earlier run. See `reports/frame/restated-why.sql`. */
export interface Restated {
  reason: string
  facts: readonly string[]
  /** Severity in the earlier run (`severityBefore`) and now. Null if the incident was not included. */
  severityBefore: string | null
  severity: string | null
  incidents: number
  examples: readonly string[]
}

/** Returns the reasons that could have changed a figure, sorted by the number of incidents. */
export function reasonsOf(basis: FigureBasis, restated: readonly Restated[]): RestatementReason[] {
  const own = restated.filter((one) => changes(one, basis))
  const names = [...new Set(own.map(({ reason }) => reason))]
  const reasons = names.map((reason) => {
    const same = own.filter((one) => one.reason === reason)
    const examples = [...new Set(same.flatMap((one) => one.examples))].sort().slice(0, 3)
    return { reason, incidents: same.reduce((sum, { incidents }) => sum + incidents, 0), examples }
  })
  return reasons.sort((a, b) => b.incidents - a.incidents || (a.reason < b.reason ? -1 : 1))
}

function changes({ facts, severityBefore, severity }: Restated, basis: FigureBasis): boolean {
  const isOf = (one: string | null) => one !== null && (basis.severities?.has(one) ?? true)
  if (isOf(severityBefore) !== isOf(severity)) return true
  return isOf(severity) && facts.some((fact) => basis.facts?.has(fact) ?? true)
}
