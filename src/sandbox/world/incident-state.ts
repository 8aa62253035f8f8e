import { SEVERITIES } from '../../contract/incident.ts'
import { hash } from '../random.ts'
import { type Assignment, assignmentAt } from './assignment.ts'
import type { Company } from './company.ts'
import type { Timeline } from './timeline.ts'

const SUMMARY_AFTER_S = 45

/** Progress of an incident's handling. Times are Unix seconds, 0 if not (yet) reached. */
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

export interface IncidentState extends Handling {
  assignment: Assignment
  severity: (typeof SEVERITIES)[number]
  status: (typeof SEVERITIES)[number]
  isEdited: boolean
  deletedAt: number
  isSummarised: boolean
  isExplained: boolean
  isLinked: boolean
  alerts: number
  active: number
  events: number
  updated: number
}

/** Returns the state of an incident at `now`, Unix seconds. A pure function, whose seed comes from the company. */
export function stateAt(company: Company, timeline: Timeline, now: number): IncidentState {
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
    progress: handling.progress,
    ack: handling.ack,
    end: handling.end,
    close: handling.close,
    closer: handling.closer,
    snoozedBefore: handling.snoozedBefore,
    assignment,
    last,
    severity,
    status: isQuiet ? 'Ok' : severity,
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

/** Returns progress and times, by applying the past events in order. */
function handlingAt(timeline: Timeline, now: number): Handling {
  const { acked, snoozed, unacked, reacked, recovered, closed, reopened, ackedAgain, closedAgain } = timeline
  const handling: Handling = {
    progress: 'Triggered',
    ack: 0,
    end: 0,
    close: 0,
    closer: 0,
    snoozedBefore: 0,
    last: timeline.created,
  }
  const reach = (progress: Handling['progress'], at: number) => {
    handling.progress = progress
    handling.last = Math.max(handling.last, at)
  }
  if (acked <= now) {
    handling.ack = acked
    reach('Processing', acked)
  }
  if (snoozed <= now) {
    handling.snoozedBefore = unacked
    handling.last = snoozed
  }
  if (unacked <= now) {
    handling.ack = 0
    handling.snoozedBefore = 0
    reach('Triggered', unacked)
  }
  if (reacked <= now) {
    handling.ack = reacked
    reach('Processing', reacked)
  }
  if (recovered <= now) {
    handling.end = recovered
    handling.last = Math.max(handling.last, recovered)
  }
  if (closed <= now) {
    handling.close = closed
    handling.closer = timeline.closer
    reach('Closed', closed)
  }
  if (reopened <= now) {
    handling.close = 0
    handling.closer = 0
    handling.end = 0
    reach('Triggered', reopened)
  }
  if (ackedAgain <= now) {
    if (handling.ack === 0) handling.ack = ackedAgain
    reach('Processing', ackedAgain)
  }
  if (closedAgain <= now) {
    handling.end = closedAgain
    handling.close = closedAgain
    handling.closer = timeline.closer
    reach('Closed', closedAgain)
  }
  return handling
}

const ALERTS_JOIN_FOR_S = 4 * 3_600

/** Returns when alert `k` joins the incident. The first joins at once, and later ones at growing intervals. */
export function alertAt({ created, recovered, closed, alerts }: Timeline, k: number): number {
  const span = Math.min(recovered - created, closed - created, ALERTS_JOIN_FOR_S)
  return created + Math.ceil(span * (k / alerts) ** 1.5)
}

/** Returns the number of alerts so far, including the first. */
function alertsAt(timeline: Timeline, now: number): number {
  let joined = timeline.alerts
  while (joined > 1 && alertAt(timeline, joined - 1) > now) joined--
  return joined
}
