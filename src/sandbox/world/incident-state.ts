import { hash } from '../random.ts'
import { type Assigned, assign } from './assign.ts'
import type { Company } from './company.ts'
import { FATE_NAMES, SEVERITIES } from './story.ts'
import type { StoryTable } from './story-table.ts'

const SUMMARY_AFTER_S = 45

/** An incident as it stands at one moment. Times are Unix seconds, 0 when not (yet) so. */
export interface IncidentState extends Assigned {
  progress: 'Triggered' | 'Processing' | 'Closed'
  severity: string
  status: string
  isEdited: boolean
  ack: number
  end: number
  close: number
  /** Member number, 0 for the system. */
  closer: number
  snoozedBefore: number
  deletedAt: number
  isSummarised: boolean
  isExplained: boolean
  isLinked: boolean
  alerts: number
  active: number
  events: number
  last: number
  updated: number
}

/** A state to be filled by `stateAt`. */
export function blankState(): IncidentState {
  return {
    progress: 'Triggered',
    severity: '',
    status: '',
    isEdited: false,
    ack: 0,
    end: 0,
    close: 0,
    closer: 0,
    snoozedBefore: 0,
    deletedAt: 0,
    isSummarised: false,
    isExplained: false,
    isLinked: false,
    alerts: 0,
    active: 0,
    events: 0,
    last: 0,
    updated: 0,
    responders: [],
    assignedBy: 'assign',
    assignedAt: 0,
    layer: 0,
  }
}

/** How story `i` stands at `now`: a pure function of the two, written into `state`. */
export function stateAt(
  table: StoryTable,
  i: number,
  now: number,
  seed: number,
  company: Company,
  state: IncidentState,
): void {
  const created = table.created[i]!
  const fate = FATE_NAMES[table.fate[i]!]!
  state.progress = 'Triggered'
  state.ack = 0
  state.end = 0
  state.close = 0
  state.closer = 0
  state.snoozedBefore = 0
  state.last = created
  handling(table, i, now, state)

  state.isEdited = table.edit[i]! <= now
  state.severity = SEVERITIES[state.isEdited ? table.edited[i]! : table.severity[i]!]!
  state.deletedAt = table.deleted[i]! <= now ? table.deleted[i]! : 0
  state.isSummarised = hash(seed, i, 90) % 10 < 6 && created + SUMMARY_AFTER_S <= now
  state.isExplained = table.text[i]! <= now
  state.isLinked = table.linked[i]! <= now

  countAlerts(table, i, now, state)
  const isMerged = fate === 'merged' && state.close !== 0
  if (isMerged) state.alerts = state.active = state.events = 0
  const isQuiet = state.end !== 0 || isMerged || (fate === 'manual' && state.close !== 0)
  state.status = isQuiet ? 'Ok' : state.severity

  assign(table, i, now, seed, company, state)
  state.last = Math.max(state.last, state.assignedAt)
  state.updated = Math.max(
    state.last,
    state.isEdited ? table.edit[i]! : 0,
    state.isSummarised ? created + SUMMARY_AFTER_S : 0,
    state.isExplained ? table.text[i]! : 0,
    state.isLinked ? table.linked[i]! : 0,
    state.deletedAt,
  )
}

/** Progress and its times. */
function handling(table: StoryTable, i: number, now: number, state: IncidentState): void {
  if (table.ack[i]! <= now) {
    state.ack = table.ack[i]!
    reach(state, 'Processing', state.ack)
  }
  if (table.snooze[i]! <= now) {
    state.snoozedBefore = table.unack[i]!
    state.last = table.snooze[i]!
  }
  if (table.unack[i]! <= now) {
    state.ack = 0
    state.snoozedBefore = 0
    reach(state, 'Triggered', table.unack[i]!)
  }
  if (table.reack[i]! <= now) {
    state.ack = table.reack[i]!
    reach(state, 'Processing', state.ack)
  }
  if (table.recover[i]! <= now) {
    state.end = table.recover[i]!
    state.last = Math.max(state.last, state.end)
  }
  if (table.close[i]! <= now) {
    state.close = table.close[i]!
    state.closer = table.closer[i]!
    reach(state, 'Closed', state.close)
  }
  if (table.reopen[i]! <= now) {
    state.close = 0
    state.closer = 0
    state.end = 0
    reach(state, 'Triggered', table.reopen[i]!)
  }
  if (table.ack2[i]! <= now) {
    if (state.ack === 0) state.ack = table.ack2[i]!
    reach(state, 'Processing', table.ack2[i]!)
  }
  if (table.close2[i]! <= now) {
    state.end = state.close = table.close2[i]!
    state.closer = table.closer[i]!
    reach(state, 'Closed', state.close)
  }
}

function reach(state: IncidentState, progress: IncidentState['progress'], at: number): void {
  state.progress = progress
  state.last = Math.max(state.last, at)
}

/** When alert `k` of `n` joins the incident that began at `created` and gathers alerts for `span` seconds. */
export function alertAt(created: number, span: number, k: number, n: number): number {
  return created + Math.ceil(span * (k / n) ** 1.5)
}

/** Seconds during which alerts join incident `i`. */
export function alertSpan(table: StoryTable, i: number): number {
  return Math.min(table.recover[i]! - table.created[i]!, table.close[i]! - table.created[i]!, 4 * 3_600)
}

function countAlerts(table: StoryTable, i: number, now: number, state: IncidentState): void {
  const n = table.alerts[i]!
  const created = table.created[i]!
  const span = alertSpan(table, i)
  let joined = n
  while (joined > 1 && alertAt(created, span, joined - 1, n) > now) joined--
  state.alerts = joined
  state.active = state.end !== 0 ? 0 : Math.ceil(joined * 0.7)
  state.events = n === 0 ? 0 : Math.max(joined, Math.floor((table.events[i]! * joined) / n))
  if (joined > 0) state.last = Math.max(state.last, alertAt(created, span, joined - 1, n))
}
