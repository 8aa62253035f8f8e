import type { Comparison, EventChange } from '../../judge/event-verdict.ts'
import { type FormatContext, format, plain } from '../../render/format.ts'
import { capital } from '../../render/text.ts'
import { percent } from './verdict-sentences.ts'

/** If the p-value of a step is lower, a trend does not explain the change. See `sql/statistics/event-verdicts.sql`. */
const STEP = 0.04

const YEAR = 52

/** Claims a change only after a comparison with other teams, and never names a cause. */
export function eventSentence(
  change: Omit<EventChange, 'sentence'>,
  comparison: Omit<Comparison, 'changes'>,
  context: FormatContext,
): string {
  const { code, direction, n, nBefore, couldShow, stepP } = change
  const { tellableFrom, weeksBefore, weeks } = comparison
  const moved = `${amountOf(change, context)}${words[kindOf(change)][direction < 0 ? 'less' : 'more']}`
  const sure = intervalOf(change)
  switch (code) {
    case 'unread':
      return `Not compared: this requires three weeks of data before the event, but ${weeksBefore} ${weeksBefore === 1 ? 'is' : 'are'} available.`
    case 'early':
      return `Too early: can be assessed from ${plain(format(tellableFrom, 'date', { ...context, year: '' }))}.`
    case 'none':
      return n === nBefore ? 'None, before or since.' : n === 0 ? 'None since.' : 'None before.'
    case 'few':
      return `Too few to compare: ${n} since, ${nBefore} before.`
    case 'short':
      return `Too few weeks with data: the comparison requires three before the event and three of the ${weeks} weeks since it.`
    case 'sure':
      return `${capital(moved)}, relative to the other teams${sure}.`
    case 'possible':
      return `Possibly ${moved}, relative to the other teams${sure}${stepP !== null && stepP < STEP ? '' : '; the change may have started before the event'}.`
    case 'trend':
      return `Already ${direction < 0 ? 'falling' : 'rising'} before the event (${moved} since), so the change cannot be attributed to it.`
    case 'since':
      return `${capital(moved)} since${sure}. Without other teams to compare with, this includes all other changes in these weeks.${season(weeksBefore)}`
    case 'small':
      return 'About the same.'
    case 'unclear':
      return `No clear change${couldShow === null ? '' : ` (a change smaller than ${percent(couldShow, context)} would not be detected)`}.`
  }
}

export const NO_EVENTS = 'No events are configured.'

export const noEvent = (event: string | null) =>
  event === null ? NO_EVENTS : `No event called "${event}" is configured.`

export function besideWords({ beside }: Comparison): string {
  return beside.length === 0 ? '' : `Other events in the same weeks: ${beside.join(', ')}.`
}

export function eventScope({ teams, otherTeams, weeks, weeksBefore }: Comparison): string {
  const against = otherTeams === 1 ? 'one other team' : `${otherTeams} other teams`
  const whose = `${teams?.join(', ') ?? 'All teams'}${otherTeams > 0 ? `, compared with ${against}` : ''}`
  const before = Math.min(weeks, weeksBefore)
  return `${whose}; ${weeks} ${weeks === 1 ? 'week' : 'weeks'} since, ${before} before`
}

export const measureNames = {
  time_to_ack: 'Time to acknowledge',
  time_to_resolve: 'Time to resolve',
  incidents_a_week: 'Incidents per week',
} as const

export function eventFigure(
  { measure }: Pick<EventChange, 'measure'>,
  value: number | null,
  context: FormatContext,
) {
  return plain(format(value, measure === 'incidents_a_week' ? 'number' : 'duration', context))
}

const words = {
  time: { less: 'shorter', more: 'longer' },
  count: { less: 'fewer', more: 'more' },
} as const
const kindOf = ({ measure }: Pick<EventChange, 'measure'>) =>
  measure === 'incidents_a_week' ? 'count' : 'time'

/** Returns a note that seasonal effects are possible. Empty if there is a year of data before the event. */
function season(weeksBefore: number): string {
  if (weeksBefore >= YEAR) return ''
  return ` A seasonal effect cannot be excluded: that needs 52 weeks of data before the event, and ${weeksBefore === 1 ? 'only 1 is' : `${weeksBefore} are`} available.`
}

function amountOf({ ratio }: Pick<EventChange, 'ratio'>, context: FormatContext): string {
  if (ratio === null) return ''
  return `${percent(Math.abs(ratio - 1), context)} `
}

function intervalOf({ low, high }: Pick<EventChange, 'low' | 'high'>): string {
  if (low === null || high === null) return ''
  const end = (ratio: number) => {
    const part = Math.round(100 * (ratio - 1))
    return part === 0 ? '±0' : part < 0 ? `−${-part}` : `+${part}`
  }
  return ` (95% CI ${end(low)} to ${end(high)}%)`
}
