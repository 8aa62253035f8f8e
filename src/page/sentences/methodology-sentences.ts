import { type FormatContext, format, plain } from '../../render/format.ts'
import type { Coverage } from '../../render/result-parts.ts'

export const METHODOLOGY = 'How these figures are calculated'
export const FUNNEL = 'From records read to incidents included'
export const DETECTABLE = 'Smallest detectable changes'
export const ALTERNATIVES = 'The same incidents under alternative definitions'

export function coverageText({ share, gaps, readAt }: Coverage, context: FormatContext): string {
  if (share === null) return 'unknown: the warehouse has no sync history for this period'
  const time = (text: string) => plain(format(text, 'time', context))
  const missing = gaps.slice(0, 5).map(({ from, to }) => `${time(from)} – ${time(to)}`)
  return [
    `${plain(format(share, 'percent', context))} of the period synced`,
    ...(readAt === null ? [] : [`latest sync ${time(readAt)}`]),
    ...(missing.length > 0
      ? [`missing: ${missing.join(', ')}${moreGaps(gaps.length - missing.length)}`]
      : []),
  ].join('; ')
}

export const moreGaps = (count: number) =>
  count > 0 ? ` and ${count} more ${count === 1 ? 'gap' : 'gaps'}` : ''
