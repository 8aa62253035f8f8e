import type { Alert } from '../../contract/alert.ts'
import type { Int64 } from '../../contract/int64.ts'
import { hash, hex4, hex6, hex8 } from '../random.ts'
import { CHECKS } from './checks.ts'
import { idOf } from './company.ts'
import { LABELS, phraseOf, placeOf, titleOf } from './describe.ts'
import { alertAt, alertSpan } from './incident-state.ts'
import { INTEGRATIONS } from './names.ts'
import { SEVERITIES } from './story.ts'
import type { WorldIncidents } from './world-incidents.ts'

/** The id of alert `k` of incident `i`; it can be read back. */
export function alertIdOf(seed: number, i: number, k: number): string {
  return hex8(hash(seed, i, 290)) + hex6(i) + hex4(k).slice(2) + hex8(hash(seed, i * 64 + k, 291))
}

/** Tells the alert of an id as it stands now, or undefined when there is none. */
export function tellAlert(
  incidents: WorldIncidents,
  accountId: Int64,
  seed: number,
  now: number,
  alertId: string,
): Alert | undefined {
  const i = Number.parseInt(alertId.slice(8, 14), 16)
  const k = Number.parseInt(alertId.slice(14, 16), 16)
  const { table } = incidents
  if (!(i < incidents.count()) || !incidents.isListed(i) || k >= table.alerts[i]!) return undefined
  if (alertIdOf(seed, i, k) !== alertId) return undefined
  const created = table.created[i]!
  const start = alertAt(created, alertSpan(table, i), k, table.alerts[i]!)
  if (start > now) return undefined
  const slot = incidents.slotOf(i)
  const told = phraseOf(table, i, seed, placeOf(table, i, seed, slot))
  const title = titleOf(table, i, seed, slot)
  const main = hash(seed, i, 251) % INTEGRATIONS.length
  const [type, name] = INTEGRATIONS[main]!
  const end = table.recover[i]! <= now ? Math.max(start, table.recover[i]!) : 0
  const severity = SEVERITIES[table.severity[i]!]!
  const events = 1 + (hash(seed, i * 64 + k, 292) % 7)
  return {
    alert_id: alertId,
    account_id: accountId,
    channel_id: slot?.channel.channel_id ?? 0,
    channel_name: slot?.channel.channel_name ?? '',
    integration_id: idOf(6_113_996_590_131, main, 0),
    integration_name: name,
    integration_type: type,
    title,
    description: told.description,
    alert_key: `${told.service}/${CHECKS[table.check[i]!]!.name}/${k}`,
    alert_severity: severity,
    alert_status: end === 0 ? severity : 'Ok',
    start_time: start,
    last_time: end === 0 ? start : end,
    end_time: end,
    labels: Object.fromEntries((told.labels ?? []).map((value, n) => [LABELS[n]!, value])),
    ever_muted: table.muted[i] === 1,
    created_at: start,
    updated_at: end === 0 ? start : end,
    incident: { incident_id: incidents.idOf(i), title, progress: incidents.stateOf(i).progress },
    event_cnt: events,
  }
}
