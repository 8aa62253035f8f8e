import type { Alert } from '../../contract/alert.ts'
import { SEVERITIES } from '../../contract/incident.ts'
import { hash, hex } from '../random.ts'
import { CHECKS } from './checks.ts'
import { type Company, idOf } from './company.ts'
import { descriptionOf, labelsOf, serviceOf, titleOf } from './generated-text.ts'
import { alertAt } from './incident-state.ts'
import { INTEGRATIONS } from './names.ts'
import type { WorldIncidents } from './world-incidents.ts'

/**
 * Creates the id of an alert. `findAlert` reads the number of the incident (`index`) and of its alert (`k`) from the
 * id.
 */
function alertIdOf(seed: number, index: number, k: number): string {
  return hex(hash(seed, index, 290), 8) + hex(index, 6) + hex(k, 2) + hex(hash(seed, index * 64 + k, 291), 8)
}

/** Returns an alert, or undefined if it does not exist at `now`. */
export function findAlert(
  incidents: WorldIncidents,
  company: Company,
  now: number,
  alertId: string,
): Alert | undefined {
  const { seed } = company
  const index = Number.parseInt(alertId.slice(8, 14), 16)
  const k = Number.parseInt(alertId.slice(14, 16), 16)
  if (!(index < incidents.count()) || alertIdOf(seed, index, k) !== alertId) return undefined
  const timeline = incidents.timeline(index)
  if (!incidents.isListed(index) || k >= timeline.alerts) return undefined
  const start = alertAt(timeline, k)
  if (start > now) return undefined
  const channel = incidents.channelOf(timeline)
  const title = titleOf(company, timeline, channel)
  const main = hash(seed, index, 251) % INTEGRATIONS.length
  const [type, name] = INTEGRATIONS[main]!
  const end = timeline.recovered <= now ? Math.max(start, timeline.recovered) : 0
  const severity = SEVERITIES[timeline.severity]!
  return {
    alert_id: alertId,
    account_id: company.accountId,
    channel_id: channel?.channel.channel_id ?? 0,
    channel_name: channel?.channel.channel_name ?? '',
    integration_id: idOf(6_113_996_590_131, main, 0),
    integration_name: name,
    integration_type: type,
    title,
    description: descriptionOf(timeline),
    alert_key: `${serviceOf(timeline, channel)}/${CHECKS[timeline.check]!.name}/${k}`,
    alert_severity: severity,
    alert_status: end === 0 ? severity : 'Ok',
    start_time: start,
    last_time: end === 0 ? start : end,
    end_time: end,
    labels: labelsOf(seed, timeline, channel),
    ever_muted: timeline.isMuted,
    created_at: start,
    updated_at: end === 0 ? start : end,
    incident: { incident_id: incidents.idOf(index), title, progress: incidents.state(index).progress },
    event_cnt: 1 + (hash(seed, index * 64 + k, 292) % 7),
  }
}

export function newestAlertIds(incidents: WorldIncidents, seed: number, most: number): string[] {
  const ids: string[] = []
  for (let index = incidents.count() - 1; index >= 0 && ids.length < most; index--) {
    if (incidents.isListed(index) && incidents.timeline(index).alerts > 0) ids.push(alertIdOf(seed, index, 0))
  }
  return ids
}
