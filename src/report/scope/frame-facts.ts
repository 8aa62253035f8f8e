import { figureText, format, localTime, plain } from '../../render/format.ts'
import type { Coverage, Frame } from '../../render/result.ts'
import { ALL_SEVERITIES, ALL_TEAMS } from '../../render/summary.ts'
import type { Parameters as Chosen } from '../parse/parameters.ts'
import { addDays } from './local-date.ts'
import type { Dates } from './period.ts'

/** What a page says at its top: period, comparison, scope, zone, and what the data covers. */
export function frameFacts(
  dates: Dates,
  parameters: Chosen,
  data: {
    timezone: string
    local: string
    seen: Date
    coveredFrom: Date | null
    comparable: boolean
    coverage: Coverage
    accounts: string | null
  },
): Frame {
  const previous = { from: dates.previousFrom, to: dates.from }
  return {
    timezone: data.timezone,
    from: dates.from,
    to: dates.to,
    asOf: data.local,
    asOfInstant: data.seen,
    label: rangeLabel(dates),
    span: dates.span,
    previousLabel: data.comparable ? rangeLabel(previous) : null,
    accounts: data.accounts,
    teams: parameters.teams?.join(', ') ?? ALL_TEAMS,
    severities: parameters.severities?.join(', ') ?? ALL_SEVERITIES,
    coverage: coverageText(dates, data),
  }
}

/** `3 Aug – 1 Nov 2026`, the last day included; a single day is named once. */
function rangeLabel({ from, to }: { from: string; to: string }): string {
  const last = addDays(to, -1)
  const date = (text: string, year: string) => plain(format(text, 'date', { timezone: 'UTC', year }))
  const end = date(last, '')
  return from === last ? end : `${date(from, last.slice(0, 4))} – ${end}`
}

/** `100 % of the period read, data since 3 Aug`. */
function coverageText(
  dates: Dates,
  { timezone, local, coveredFrom, coverage }: Parameters<typeof frameFacts>[2],
): string {
  if (!coveredFrom) return 'no incidents yet'
  const first = localTime(coveredFrom, timezone).slice(0, 10)
  const date = figureText('date', { timezone })
  const gaps = [
    ...(first > dates.from ? [`only from ${date(first)}`] : []),
    ...(local.slice(0, 10) < dates.to ? [`only up to ${date(local.slice(0, 10))}`] : []),
  ]
  const data = gaps.length ? `data ${gaps.join(' and ')}` : `data since ${date(first)}`
  if (coverage.share === null) return data
  return `${figureText('percent', { timezone })(coverage.share)} of the period read, ${data}`
}
