import type { Reference } from './reference-times.ts'

export type Rows = Record<string, unknown>[]

/** A period in Unix seconds. An undefined end is unbounded. */
export interface Span {
  from?: number | undefined
  to?: number | undefined
}

export const isIn = (at: number | undefined, { from, to }: Span) =>
  (from === undefined || (at !== undefined && at >= from)) &&
  (to === undefined || (at !== undefined && at < to))

export const started = (all: readonly Reference[], span: Span) => all.filter(({ start }) => isIn(start, span))

/** Makes one row for each severity, each team, each combination of both, and the total. */
export function cube<One extends { severity: string; team: string }>(
  all: readonly One[],
  make: (rows: One[], severity: string, team: string) => object,
): Rows {
  const groups = new Map<string, { incident_severity: string; team_name: string; rows: One[] }>()
  for (const one of all) {
    for (const incident_severity of ['(all)', one.severity]) {
      for (const team_name of ['(all)', one.team]) {
        const key = JSON.stringify([incident_severity, team_name])
        const group = groups.get(key) ?? { incident_severity, team_name, rows: [] }
        groups.set(key, group)
        group.rows.push(one)
      }
    }
  }
  return [...groups.values()].map(({ rows, ...names }) => ({
    ...names,
    ...make(rows, names.incident_severity, names.team_name),
  }))
}

export const named = (one: Reference) => ({ ...one, severity: one.row.incident_severity })

export const share = (part: number, whole: number) => (whole === 0 ? null : part / whole)
export const mean = (values: readonly number[]) =>
  values.length === 0 ? null : values.reduce((sum, each) => sum + each, 0) / values.length
export const threshold = (
  world: { settings: { thresholds: readonly { name: string; value: number }[] } },
  name: string,
) => world.settings.thresholds.find((one) => one.name === name)!.value

export function groupsOf<One, Key>(list: readonly One[], keyOf: (one: One) => Key): Map<Key, One[]> {
  const groups = new Map<Key, One[]>()
  for (const one of list) {
    const key = keyOf(one)
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  return groups
}
