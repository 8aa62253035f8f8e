import { createHash } from 'node:crypto'
import { quarantineOf, type World } from '../support/world.ts'
import { besides } from './reference-macros.ts'
import { dataQuality, survival } from './reference-statistics.ts'
import { knownSince } from './reference-time-changes.ts'
import { referenceAsOf, referenceTimes } from './reference-times.ts'

type Rows = Record<string, unknown>[]
const day = 86_400

/** Independent computation of every metric in TypeScript, by relation. Rows are unordered. */
export const reference: Record<string, (world: World) => Rows> = {
  as_of: (world) => [referenceAsOf(world) ?? []].flat(),
  known_since: (world) => [knownSince(world) ?? []].flat().map((covered_from) => ({ covered_from })),
  incident_times: (world) => referenceTimes(world).map(({ times }) => times),
  incident_labels: (world) =>
    referenceTimes(world).flatMap(({ row }) =>
      Object.entries(row.labels).map(([label, value]) => ({ incident_id: row.incident_id, label, value })),
    ),
  open_incidents: (world) =>
    referenceTimes(world)
      .filter(({ open }) => open)
      .map(({ row, times }) => ({
        incident_id: row.incident_id,
        age_s: times.age_s,
        age_bucket: bucket(times.age_s),
      })),
  data_quality: dataQuality,
  runs: referenceRuns,
  freshness: referenceFreshness,
  waiting: (world) =>
    quarantineOf(world).map(({ resource, payload }) => ({
      id: createHash('sha256').update(`1 ${resource} ${payload}`).digest('hex').slice(0, 10),
      resource,
      payload,
      times_seen: 1,
    })),
  ...besides,
  'survival_curve()': (world) => survival(referenceTimes(world)),
  'survival_curve(of_muted := true)': (world) => survival(referenceTimes(world), true),
  "survival_curve(of_severity := 'Info', of_team := 'Money')": (world) =>
    survival(
      referenceTimes(world).filter(({ row, team }) => row.incident_severity === 'Info' && team === 'Money'),
    ),
}

function bucket(age: unknown): string {
  if (typeof age !== 'number') return '(unknown)'
  const steps: [number, string][] = [
    [3600, '<1 h'],
    [day, '<1 d'],
    [7 * day, '<7 d'],
  ]
  return steps.find(([limit]) => age < limit)?.[1] ?? 'older'
}

function referenceRuns({ runs }: World): Rows {
  return runs.map(({ run_id, status, finished_at }) => ({
    run_id,
    account: '1',
    recency: runs.filter((other) => other.run_id >= run_id).length,
    finished_at: finished_at || null,
    status: status === 'running' ? 'interrupted' : status,
  }))
}

function referenceFreshness(world: World): Rows {
  const newest = Math.max(...world.runs.map(({ run_id }) => run_id))
  const windows = world.windows.filter(({ run_id }) => world.runs.some((run) => run.run_id === run_id))
  const waiting = quarantineOf(world)
  return [...new Set([...windows, ...waiting].map(({ resource }) => resource))].map((resource) => {
    const own = windows.filter((window) => window.resource === resource)
    const done = own.filter(({ state }) => state === 'done').map(({ updated_at }) => updated_at)
    return {
      resource,
      account: world.runs.length > 0 ? '1' : null,
      last_read_at: done.length > 0 ? Math.max(...done) : null,
      windows_not_done: own.filter(({ run_id, state }) => run_id === newest && state !== 'done').length,
      windows_accepted: 0,
      waiting: waiting.filter((record) => record.resource === resource).length,
    }
  })
}
