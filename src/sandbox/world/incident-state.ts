import { SEVERITIES } from '../../contract/incident.ts'
import { hash } from '../random.ts'
import { assignmentAt } from './assignment.ts'
import type { Company } from './company.ts'
import { NEVER } from './incident-lifecycles.ts'
import type { Timeline } from './timeline.ts'

const SUMMARY_AFTER_S = 45

/** Times are Unix seconds, or 0 if the event has not happened. */
interface Handling {
  progress: 'Triggered' | 'Processing' | 'Closed'
  ack: number
  end: number
  close: number
  /** Member number, 0 for the system. */
  closer: number
  snoozedBefore: number
  last: number
}

export type IncidentState = ReturnType<typeof stateAt>

export function stateAt(company: Company, timeline: Timeline, now: number) {
  const { index, created, edited, explained, linked, deleted, outcome } = timeline
  const handling = handlingAt(timeline, now)
  const isEdited = edited <= now
  const severity = SEVERITIES[isEdited ? timeline.editedSeverity : timeline.severity]!
  const deletedAt = deleted <= now ? deleted : 0
  const isSummarised = hash(company.seed, index, 90) % 10 < 6 && created + SUMMARY_AFTER_S <= now
  const isExplained = explained <= now
  const isLinked = linked <= now

  const joined = alertsAt(timeline, now)
  const isMerged = outcome === 'merged' && handling.close !== 0
  // An alert of severity Ok is never active, whatever the state of its incident.
  const areOk = handling.end !== 0 || isMerged || SEVERITIES[timeline.severity] === 'Ok'
  const isQuiet = areOk || (outcome === 'manual' && handling.close !== 0)
  const assignment = assignmentAt(company, timeline, now, handling.ack)
  const last = Math.max(
    handling.last,
    joined === 0 ? 0 : alertAt(timeline, joined - 1),
    assignment.assignedAt,
  )
  return {
    // Fields are copied one by one, because reading the fields of a spread object takes several times as long.
    progress: handling.progress,
    ack: handling.ack,
    end: handling.end,
    close: handling.close,
    closer: handling.closer,
    snoozedBefore: handling.snoozedBefore,
    assignment,
    last,
    severity,
    status: isQuiet ? ('Ok' as const) : severity,
    isEdited,
    deletedAt,
    isSummarised,
    isExplained,
    isLinked,
    alerts: isMerged ? 0 : joined,
    active: areOk ? 0 : Math.ceil(joined * 0.7),
    events:
      isMerged || joined === 0
        ? 0
        : Math.max(joined, Math.floor((timeline.events * joined) / timeline.alerts)),
    updated: Math.max(
      last,
      isEdited ? edited : 0,
      isSummarised ? created + SUMMARY_AFTER_S : 0,
      isExplained ? explained : 0,
      isLinked ? linked : 0,
      deletedAt,
    ),
  }
}

function handlingAt(timeline: Timeline, now: number): Handling {
  const { acked, snoozed, unacked, reacked, recovered, closed, reopened, ackedAgain, closedAgain } = timeline
  const { created, closer } = timeline
  const nothing = { ack: 0, end: 0, close: 0, closer: 0, snoozedBefore: 0 }
  const handling: Handling = { ...nothing, progress: 'Triggered', last: created }
  const events: [at: number, change: Partial<Handling>][] = [
    [acked, { progress: 'Processing', ack: acked }],
    [snoozed, { snoozedBefore: unacked }],
    [unacked, { progress: 'Triggered', ack: 0, snoozedBefore: 0 }],
    [reacked, { progress: 'Processing', ack: reacked }],
    [recovered, { end: recovered }],
    [closed, { progress: 'Closed', close: closed, closer }],
    [reopened, { progress: 'Triggered', close: 0, closer: 0, end: 0 }],
    // The service keeps the first acknowledgement.
    [ackedAgain, acked === NEVER ? { progress: 'Processing', ack: ackedAgain } : { progress: 'Processing' }],
    [closedAgain, { progress: 'Closed', end: closedAgain, close: closedAgain, closer }],
  ]
  for (const [at, change] of events) {
    if (at > now) continue
    Object.assign(handling, change)
    handling.last = Math.max(handling.last, at)
  }
  return handling
}

const ALERTS_JOIN_FOR_S = 4 * 3_600

/** Returns when alert `k` joins the incident. The first joins at once, and the others at growing intervals. */
export function alertAt({ created, recovered, closed, alerts }: Timeline, k: number): number {
  const span = Math.min(recovered - created, closed - created, ALERTS_JOIN_FOR_S)
  return created + Math.ceil(span * (k / alerts) ** 1.5)
}

function alertsAt(timeline: Timeline, now: number): number {
  let joined = timeline.alerts
  while (joined > 1 && alertAt(timeline, joined - 1) > now) joined--
  return joined
}
