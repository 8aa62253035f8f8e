import { countText, figureText } from '../../render/format.ts'
import type { Coverage, StillOpen } from '../../render/result.ts'

export const OPEN = 'Open the report'
export const ATTACHED = 'The report is attached.'
export const PICTURE = 'Summary of the report; its figures are repeated below.'
export const NO_DATA = 'No data for this period.'
export const NOTHING_UNUSUAL = 'Nothing unusual.'
export const SAME_FINDING = 'Same finding as above.'
export const NO_REPORTS = 'No reports have been delivered yet.'

export const moreNotes = (count: number) => `${count} more in the report.`

/** If coverage is lower than this, pages and summaries say which share of the period has data. */
export const LEAST_READ = 0.995

/**
 * Describes a period without incidents. Mentions data gaps first, because a period without data was not necessarily
 * quiet. `open` is null if open incidents are unknown.
 */
export function emptyText(open: StillOpen | null, { share }: Pick<Coverage, 'share'>): string {
  const part =
    share === null || share >= LEAST_READ ? null : figureText('percent', { timezone: 'UTC' })(share)
  const none = part && `No incidents in the ${part} of this period with data.`
  const start = open?.gap ?? (share === 0 ? NO_DATA : none)
  if (open === null || open.all === 0)
    return `${start ?? 'No incidents in this period.'} ${open?.later ? 'No earlier incident is open.' : 'No incident is open.'}`
  const { all, critical, since } = open
  const [incidents, be] = all === 1 ? ['incident', 'is'] : ['incidents', 'are']
  const words =
    since === 0
      ? `${countText(all)} older ${incidents} ${be} still open (${countText(critical)} Critical).`
      : `${countText(all)} ${be} open now (${countText(critical)} Critical), of which ${countText(since)} started after the period.`
  return `${start ?? `No ${since === 0 ? 'new ' : ''}incidents in this period.`} ${words}`
}
