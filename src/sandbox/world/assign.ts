import { hash, unit } from '../random.ts'
import { type Company, onCall } from './company.ts'
import { FATE_NAMES } from './story.ts'
import { NEVER, type StoryTable } from './story-table.ts'

const ESCALATE_AFTER_S = [600, 1_500] as const
const REASSIGN_AFTER_S = 900

/** Somebody who was assigned: member number, when, and when they acknowledged (0 = not). */
export interface Assignment {
  member: number
  assignedAt: number
  acknowledgedAt: number
}

/** Whom an incident was given to, and what the last assignment was. */
export interface Assigned {
  responders: Assignment[]
  assignedBy: 'assign' | 'reassign' | 'escalate' | 'reopen' | 'emails'
  /** 0 when nobody was assigned. */
  assignedAt: number
  layer: number
}

/** Who was assigned, by what, and who acknowledged. */
export function assign(
  table: StoryTable,
  i: number,
  now: number,
  seed: number,
  company: Company,
  state: Assigned & { readonly ack: number },
): void {
  const responders: Assignment[] = []
  state.responders = responders
  state.assignedBy = 'assign'
  state.assignedAt = 0
  state.layer = 0
  const firstAck = table.ack[i]!
  const created = table.created[i]!
  const isQuiet =
    table.muted[i] === 1 || (table.severity[i]! >= 2 && firstAck === NEVER && unit(seed, i, 91) < 0.5)
  if (isQuiet) return
  const spot = Math.max(0, table.channel[i]! - 1)
  const slot = company.channelSlots[spot]!
  const layers = onCall(slot, spot, created)
  const settled = Math.min(firstAck, table.close[i]!)
  join(layers[0], created + 2)
  for (let k = 0; k < ESCALATE_AFTER_S.length; k++) {
    const delay = ESCALATE_AFTER_S[k]!
    if (settled <= created + delay || created + delay > now) break
    state.assignedBy = 'escalate'
    state.layer = k + 1
    join(layers[k + 1]!, created + delay)
  }
  if (
    firstAck !== NEVER &&
    unit(seed, i, 92) < 0.06 &&
    firstAck + REASSIGN_AFTER_S <= Math.min(now, table.close[i]!)
  ) {
    state.assignedBy = 'reassign'
    join(slot.people[hash(seed, i, 93) % slot.people.length]!, firstAck + REASSIGN_AFTER_S)
  }
  if (table.fate[i] === MANUAL && unit(seed, i, 94) < 0.3) state.assignedBy = 'emails'
  if (table.reopen[i]! <= now) {
    state.assignedBy = 'reopen'
    state.assignedAt = table.reopen[i]!
  }
  if (state.ack !== 0) acknowledge(company.ackerOf(i, spot, table.start[i]!), state.ack)

  function join(member: number, at: number): void {
    if (at > now) return
    if (!responders.some((one) => one.member === member)) {
      responders.push({ member, assignedAt: at, acknowledgedAt: 0 })
    }
    state.assignedAt = at
  }
  function acknowledge(member: number, at: number): void {
    const known = responders.find((one) => one.member === member)
    if (known !== undefined) {
      known.acknowledgedAt = at
      known.assignedAt = Math.min(known.assignedAt, at)
    } else responders.push({ member, assignedAt: at, acknowledgedAt: at })
  }
}

const MANUAL = FATE_NAMES.indexOf('manual')
