import { stringifyJson } from '../contract/json.ts'
import type { FaultInjector } from './faults.ts'
import type { Account, Incidents, World } from './store/world.ts'

/**
 * Returns a function that may change data just before an operation responds. `edits` gets the time of each edit, by
 * incident number.
 */
export function meanwhile(
  { account, incidents }: World,
  faults: FaultInjector,
  edits: Map<number, number>,
  now: () => number,
): (operation: string) => void {
  return (operation) => {
    if (operation === 'member/list' && faults.occurs('member_leaves')) leave(account)
    if (operation === 'team/infos' && faults.occurs('team_deleted')) {
      const [first] = account.teams.keys()
      if (first !== undefined) account.teams.delete(first)
    }
    if (operation === 'incident/list' && faults.occurs('late_edit')) {
      const index = closedAtRandom(incidents, faults)
      if (index !== undefined) edits.set(index, now())
    }
  }
}

function leave({ members, callers }: Account): void {
  const [first] = [...members.values()]
    .filter(({ member_id }) => !callers.has(member_id))
    .sort((a, b) => Number(a.created_at) - Number(b.created_at))
  if (first !== undefined) members.delete(first.member_id)
}

const TRIES = 20

function closedAtRandom(incidents: Incidents, faults: FaultInjector): number | undefined {
  const count = incidents.count()
  for (let tries = 0; tries < TRIES && count > 0; tries++) {
    const index = faults.pick(count)
    if (incidents.isListed(index) && incidents.record(index).progress === 'Closed') return index
  }
  return undefined
}

/** Returns the incidents with their edits: another title, and the time of the edit as `updated_at`. */
export function withEdits(incidents: Incidents, edits: ReadonlyMap<number, number>): Incidents {
  const record: Incidents['record'] = (index) => {
    const own = incidents.record(index)
    const editedAt = edits.get(index)
    if (editedAt === undefined) return own
    return { ...own, title: `${own.title} (corrected)`, updated_at: editedAt }
  }
  const json: Incidents['json'] = (index) =>
    edits.has(index) ? stringifyJson(record(index)) : incidents.json(index)
  return { ...incidents, record, json }
}
