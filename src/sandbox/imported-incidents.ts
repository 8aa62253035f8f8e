import type { Incident } from '../contract/incident.ts'
import type { Imported } from './read-records.ts'
import type { IncidentRow, IncidentSet } from './store/incident-set.ts'

/** Incidents from a file, in the order of the list. A repeated id keeps its last record. */
export function importedIncidents(given: readonly Imported<Incident>[]): IncidentSet {
  const byId = new Map(given.map((one) => [one.record.incident_id.toLowerCase(), one]))
  const sorted = [...byId.values()].sort(
    (a, b) =>
      Number(a.record.start_time) - Number(b.record.start_time) ||
      (a.record.incident_id < b.record.incident_id ? -1 : 1),
  )
  const texts = sorted.map((one) => one.bytes)
  const ids = sorted.map((one) => one.record.incident_id)
  const starts = Float64Array.from(sorted, (one) => Number(one.record.start_time))
  const rows = sorted.map((one) => rowOf(one.record))
  const places = new Map(ids.map((id, index) => [id.toLowerCase(), index]))
  return {
    count: () => texts.length,
    startOf: (index) => starts[index]!,
    idOf: (index) => ids[index]!,
    isListed: () => true,
    row: (index) => rows[index]!,
    textOf: (index) => searchText(JSON.parse(texts[index]!.toString()) as Incident),
    writeJson: (index, out) => out.bytes(texts[index]!),
    json: (index) => texts[index]!.toString(),
    find: (incidentId) => places.get(incidentId.toLowerCase()),
  }
}

function rowOf(record: Incident): IncidentRow {
  return {
    channelId: record.channel_id,
    progress: record.progress,
    severity: record.incident_severity,
    num: record.num ?? '',
    snoozedBefore: Number(record.snoozed_before ?? 0),
    everMuted: record.ever_muted ?? false,
    isRare: record.frequency === 'rare',
    creatorId: record.creator_id ?? 0,
    closerId: record.closer_id ?? 0,
    responders: (record.responders ?? []).map((one) => ({
      personId: one.person_id,
      acknowledgedAt: Number(one.acknowledged_at),
    })),
  }
}

function searchText({ title, description, labels }: Incident): string {
  return [title, description ?? '', ...Object.values(labels ?? {}).map(String)].join('\n')
}
