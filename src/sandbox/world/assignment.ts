import { hash, unit } from '../random.ts'
import { type Company, onCall } from './company.ts'
import { NEVER } from './incident-lifecycles.ts'
import type { Timeline } from './timeline.ts'

const ESCALATE_AFTER_S = [600, 1_500] as const
const REASSIGN_AFTER_S = 900

interface Responder {
  /** Number of the member, from 1. */
  member: number
  assignedAt: number
  acknowledgedAt: number
}

export interface Assignment {
  responders: Responder[]
  assignedBy: 'assign' | 'reassign' | 'escalate' | 'reopen'
  /** 0 if nobody is assigned. */
  assignedAt: number
  layer: number
}

/** Returns who is assigned at `now`. `ack` is the time of the acknowledgement, or 0. */
export function assignmentAt(company: Company, timeline: Timeline, now: number, ack: number): Assignment {
  const { seed } = company
  const { index, start, created, severity, acked, closed } = timeline
  const assignment: Assignment = { responders: [], assignedBy: 'assign', assignedAt: 0, layer: 0 }
  const isQuiet = timeline.isMuted || (severity >= 2 && acked === NEVER && unit(seed, index, 91) < 0.5)
  if (isQuiet) return assignment
  const { responders } = assignment
  const spot = Math.max(0, timeline.channel - 1)
  const { people } = company.channels[spot]!
  const layers = onCall(people, spot, created)
  const isAssigned = (member: number) => responders.some((one) => one.member === member)
  const assign = (member: number, assignedAt: number) => {
    if (assignedAt > now) return
    if (!isAssigned(member)) responders.push({ member, assignedAt, acknowledgedAt: 0 })
    assignment.assignedAt = assignedAt
  }

  assign(layers[0], created + 2)
  for (const [k, delay] of ESCALATE_AFTER_S.entries()) {
    if (Math.min(acked, closed) <= created + delay || created + delay > now) break
    assignment.assignedBy = 'escalate'
    assignment.layer = k + 1
    assign(layers[k + 1]!, created + delay)
  }
  const reassignedAt = acked + REASSIGN_AFTER_S
  if (unit(seed, index, 92) < 0.06 && reassignedAt <= Math.min(now, closed)) {
    assignment.assignedBy = 'reassign'
    assign(people[hash(seed, index, 93) % people.length]!, reassignedAt)
  }
  if (timeline.reopened <= now) {
    assignment.assignedBy = 'reopen'
    assignment.assignedAt = timeline.reopened
  }
  if (ack !== 0) acknowledge(responders, company.ackerOf(index, spot, start), ack)
  return assignment
}

function acknowledge(responders: Responder[], member: number, at: number): void {
  const known = responders.find((one) => one.member === member)
  if (known === undefined) responders.push({ member, assignedAt: at, acknowledgedAt: at })
  else {
    known.acknowledgedAt = at
    known.assignedAt = Math.min(known.assignedAt, at)
  }
}
