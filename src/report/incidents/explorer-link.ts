import type { Frame } from '../../render/result.ts'
import type { QueryParameters } from '../../warehouse/read/bind.ts'
import { addDays, firstOfMonth } from '../scope/local-date.ts'
import type { Bucket, Test } from './incident-selection.ts'
import { sources } from './link-spec.ts'

interface Scope {
  readonly frame: Pick<Frame, 'from' | 'to' | 'bucket'>
  readonly bound: QueryParameters
  /** Time zone that the report sets. `/explore` can only use its own time zone. */
  readonly zone: string | undefined
}

/** Maps a column of a list to its filter in `/explore`. See `explore/facets.ts`. */
const words: Readonly<Record<string, string>> = {
  severity: 'severity',
  incident_severity: 'severity',
  team: 'team',
  team_name: 'team',
  channel: 'channel',
  channel_name: 'channel',
  integration: 'source',
  integration_type: 'source',
  hour: 'hour',
  band: 'band',
  weekday: 'weekday',
}
export const states = ['open', 'closed'].flatMap((one) => [
  `${one}, not acknowledged`,
  `${one}, acknowledged`,
])

/** For each Boolean column of a list, checks whether the column is true in a state. */
const stateTests: Readonly<Record<string, (state: string) => boolean>> = {
  is_open: (state) => state.startsWith('open'),
  acknowledged: (state) => state.endsWith(', acknowledged'),
}

/** Returns the query string that shows the same incidents in `/explore`. Null if its filters cannot select them. */
export function asFilter({ of, tests }: Bucket, { frame, bound, zone }: Scope): string | null {
  const isCurrent = tests.some(
    (test) => 'is' in test && test.column === 'period' && test.is.join() === 'current',
  )
  const isOther = sources[of].of !== 'incident' || zone !== undefined || Array.isArray(bound.accounts)
  if (isOther || !isCurrent) return null
  let { from, to } = frame
  const chosen = new Map<string, readonly string[]>()
  // If several conditions are about the same column, all of them must hold.
  const choose = (name: string, values: readonly string[]) =>
    chosen.set(name, chosen.get(name)?.filter((one) => values.includes(one)) ?? values)
  for (const [name, values] of choicesOf(bound)) choose(name, values)
  for (const test of tests) {
    // `/explore` cannot filter by missing values.
    if (!('is' in test) || test.is.some((one) => !one)) return null
    const values = test.is as readonly string[]
    const isTrue = values.join() === 'true'
    const days = daysOf(test, frame.bucket)
    const name = words[test.column]
    const isOf = stateTests[test.column]
    if (days !== null) [from, to] = [from > days[0] ? from : days[0], to < days[1] ? to : days[1]]
    else if (name !== undefined) choose(name, values)
    else if (isOf)
      choose(
        'state',
        states.filter((one) => isOf(one) === isTrue),
      )
    else if (test.column !== 'period') return null
  }
  const parameters = [...chosen].flatMap(([name, values]) =>
    values.map((one): [string, string] => [name, one]),
  )
  if ([...chosen.values()].some(({ length }) => length === 0) || from >= to) return null
  return new URLSearchParams([...parameters, ['period', `${from}..${to}`]]).toString()
}

function choicesOf({ teams, severities, dimensions }: QueryParameters): Map<string, readonly string[]> {
  const list = (values: QueryParameters[string] | undefined) =>
    Array.isArray(values) ? values.map(String) : []
  const found = new Map<string, string[]>()
  const add = (name: string, value: string) => found.set(name, [...(found.get(name) ?? []), value])
  for (const one of list(teams)) add('team', one)
  for (const one of list(severities)) add('severity', one)
  for (const one of list(dimensions)) {
    const at = one.indexOf('=')
    add(`dimension.${one.slice(0, at)}`, one.slice(at + 1))
  }
  return found
}

function daysOf(
  test: Extract<Test, { is: unknown }>,
  bucket: Frame['bucket'],
): [from: string, to: string] | null {
  const [day] = test.is
  if (test.is.length !== 1 || day === null || day === undefined) return null
  if (test.column === 'day') return [day, addDays(day, 1)]
  if (test.column === 'month' || (test.column === 'week' && bucket === 'month'))
    return [day, firstOfMonth(day, 1)]
  return test.column === 'week' ? [day, addDays(day, 7)] : null
}
