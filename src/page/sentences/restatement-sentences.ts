import { countText, type FormatContext, format, plain } from '../../render/format.ts'
import type { Restatement, RestatementReason } from '../../render/result-parts.ts'

/** Reasons that are not about incidents of the period. The others are the words of `reports/frame/restated-why.sql`. */
export const generalReasons = {
  elsewhere: { reason: 'other data was synced since', incidents: 0, examples: [] },
  redefined: { reason: 'the report, a definition or a setting changed', incidents: 0, examples: [] },
}

const HEAD_MOST = 3

/** Returns `Changed since the report of …: Incidents 7 → 5 (1 new: INC-3).`, or null if no change is visible. */
export function restatedText({ asOf, figures }: Restatement, context: FormatContext): string | null {
  const moved = figures
    .map(({ label, before, now, reasons }) => ({ label, was: plain(before), is: plain(now), reasons }))
    .filter(({ was, is }) => was !== is)
  if (moved.length === 0) return null
  const told = moved
    .slice(0, HEAD_MOST)
    .map(({ label, was, is, reasons }) => `${label} ${was} → ${is} (${reasonsText(reasons)})`)
  const rest = moved.length - told.length
  const more = rest > 0 ? [`${rest} more ${rest === 1 ? 'figure' : 'figures'}`] : []
  return `${changedSince(asOf, context)}: ${[...told, ...more].join('; ')}.`
}

export const changedSince = (asOf: string, context: FormatContext) =>
  `Changed since the report of ${plain(format(asOf, 'time', context))}`

export const unchangedText = (count: number) =>
  `${count} ${count === 1 ? 'figure is' : 'figures are'} unchanged.`

/** Returns reasons such as `2 with a different start time: INC-1, INC-2; 1 new: INC-3`. */
export function reasonsText(reasons: readonly RestatementReason[]): string {
  return reasons.map(reasonText).join('; ')
}

function reasonText({ reason, incidents, examples }: RestatementReason): string {
  if (incidents === 0) return reason
  const more = incidents > examples.length ? ' …' : ''
  return `${countText(incidents)} ${reason}${examples.length > 0 ? `: ${examples.join(', ')}${more}` : ''}`
}
