import { ConfigError, closestMatch } from '../errors.ts'
import type { Comparison, EventChange, EventCode } from '../judge/event-verdict.ts'
import { contextOf, localTime, numberOf } from '../render/format.ts'
import { compareSql } from '../report/parse/block-source.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import type { Session } from '../warehouse/read/session.ts'
import { eventSentence, NO_EVENTS } from './sentences/event-sentences.ts'

/** Compares all events if `event` is undefined. @throws ConfigError for an unknown event */
export async function compareEvents(session: Session, event?: string): Promise<Comparison[]> {
  const known = objectsOf(await session.query('from config_events order by day, name'))
  const names = known.map(({ name }) => String(name))
  if (names.length === 0)
    throw new ConfigError(NO_EVENTS, {
      next: 'Add events to the configuration: `reporting.events: [{ date: 2026-03-14, name: new rota, teams: [Payments] }]`.',
    })
  if (event !== undefined && !names.includes(event))
    throw new ConfigError(`Unknown event "${event}".`, {
      next: closestMatch(event, names) ?? `Available: ${names.join(', ')}.`,
    })
  return comparisonsOf(objectsOf(await session.query(compareSql(event))))
}

/** Converts rows of the macro `event_changes` to comparisons. */
export function comparisonsOf(rows: readonly Record<string, unknown>[]): Comparison[] {
  const events = new Map<string, Record<string, unknown>[]>()
  for (const row of rows) events.set(String(row.event), [...(events.get(String(row.event)) ?? []), row])
  return [...events.values()].map((each) => {
    const [first = {}] = each
    const timezone = String(first.timezone)
    const head = {
      event: String(first.event),
      day: String(first.day).slice(0, 10),
      teams: Array.isArray(first.teams) ? first.teams.map(String) : null,
      otherTeams: Number(first.control_teams),
      weeks: Number(first.length),
      weeksBefore: Number(first.weeks_known),
      beside: Array.isArray(first.beside) ? first.beside.map(String) : [],
      tellableFrom: localTime(first.tellable_from as Date, timezone).slice(0, 10),
    }
    return { ...head, changes: each.map((row) => changeIn(row, head)) }
  })
}

function changeIn(row: Record<string, unknown>, head: Omit<Comparison, 'changes'>): EventChange {
  const number = (name: string) => numberOf(row[name] as never)
  const change = {
    measure: row.measure as EventChange['measure'],
    code: row.code as EventCode,
    direction: Number(row.direction) as EventChange['direction'],
    n: Number(row.n),
    nBefore: Number(row.n_before),
    value: number('value'),
    before: number('value_before'),
    others:
      row.has_control === true
        ? { n: Number(row.control_n), value: number('control_value'), before: number('control_before') }
        : null,
    ratio: number('ratio'),
    low: number('ratio_low'),
    high: number('ratio_high'),
    p: number('p'),
    stepP: number('step_p'),
    couldShow: number('could_show'),
  }
  const context = contextOf({ timezone: 'UTC', asOf: head.day })
  return { ...change, sentence: eventSentence(change, head, context) }
}
