/** The states of a window in `sync_windows`, see `SPEC.md`. Every window begins as `open`. */
export type WindowState = 'open' | 'done' | 'unproven' | 'accepted'

/**
 * Events of a window. `taken` means that a person accepts it as incomplete. `doubtful` means that every window ended at
 * exactly one full page, or that the window got the answer to another request. `not believed` means that the records
 * that it did not return are probably not missing.
 */
export type WindowEvent = 'proven' | 'not proven' | 'taken' | 'doubtful' | 'doubtful, taken' | 'not believed'

/** Only a verified window can become doubtful. */
const ENDED = {
  proven: null,
  'not proven': null,
  taken: null,
  doubtful: null,
  'doubtful, taken': null,
  'not believed': null,
} as const satisfies Record<WindowEvent, null>

/** The state after each event, or null if the event is impossible. A missing case is a type error. */
const TRANSITIONS = {
  open: {
    proven: 'done',
    'not proven': 'unproven',
    taken: 'accepted',
    doubtful: null,
    'doubtful, taken': null,
    'not believed': null,
  },
  done: {
    proven: null,
    'not proven': null,
    taken: null,
    doubtful: 'unproven',
    'doubtful, taken': 'accepted',
    'not believed': 'unproven',
  },
  unproven: ENDED,
  accepted: ENDED,
} as const satisfies Record<WindowState, Record<WindowEvent, WindowState | null>>

type Transitions = typeof TRANSITIONS
/** The state after an event. An event that is impossible in `State` is a type error. */
export type After<State extends WindowState, Event extends WindowEvent> = Transitions[State][Event]
export type EventIn<State extends WindowState> = {
  [Event in WindowEvent]: Transitions[State][Event] extends null ? never : Event
}[WindowEvent]

export function after<State extends WindowState, Event extends EventIn<State>>(
  state: State,
  event: Event,
): After<State, Event> {
  return TRANSITIONS[state][event]
}
