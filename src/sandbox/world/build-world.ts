import type { Clock } from '../clock.ts'
import type { World } from '../store/world.ts'
import { findAlert, newestAlertIds } from './alerts.ts'
import { ACCOUNT_ID, buildCompany } from './company.ts'
import { lessonOf } from './scenarios/index.ts'
import { buildAccount } from './world-account.ts'
import { type WorldOptions, worldIncidents } from './world-incidents.ts'
import { postMortems } from './world-post-mortems.ts'

export function buildWorld(options: WorldOptions, clock: Clock): World {
  const { seed, incidents: amount, anchor } = options
  const story = options.world === undefined ? undefined : lessonOf(options.world).tell(seed, anchor, amount)
  const company = buildCompany(seed, amount, anchor, options.accountId ?? ACCOUNT_ID, story)
  const account = buildAccount(company, anchor)
  const incidents = worldIncidents(options, company, account.routingSince, clock)
  // Computes all start times now, so that the first request is fast.
  incidents.count()
  const reports = postMortems(incidents, company, clock.now)
  return {
    account,
    incidents,
    alert: (id) => findAlert(incidents, company, clock.now(), id),
    alertIds: (most) => newestAlertIds(incidents, seed, most),
    postMortem: reports.find,
    postMortemIds: reports.ids,
  }
}
