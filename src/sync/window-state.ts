/** The states of a window in `sync_windows`; `SPEC.md` says what each means. Every window begins as `open`. */
export type WindowState = 'open' | 'done' | 'unproven' | 'accepted'

/**
 * What happens to a window: it was read to its end, and what came is all, or is not, or is not and a person takes it so; what all
 * windows came to makes it doubtful (each ended at exactly one full page, or an answer was that of another request); or stored
 * records that it did not bring are not believed to be gone.
 */
export type WindowEvent = 'proven' | 'not proven' | 'taken' | 'doubtful' | 'doubtful, taken' | 'not believed'

/** Only what is proven is doubted again. */
const ENDED = {
  proven: null,
  'not proven': null,
  taken: null,
  doubtful: null,
  'doubtful, taken': null,
  'not believed': null,
} as const satisfies Record<WindowEvent, null>

/** The state after each event; null where it cannot happen. A case that is missing does not compile. */
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
/** The state after an event that can happen in `State`; any other does not compile. */
export type After<State extends WindowState, Event extends WindowEvent> = Transitions[State][Event]
/** The events that can happen in a state. */
export type EventIn<State extends WindowState> = {
  [Event in WindowEvent]: Transitions[State][Event] extends null ? never : Event
}[WindowEvent]

/** The state of a window in `state` after an event. */
export function after<State extends WindowState, Event extends EventIn<State>>(
  state: State,
  event: Event,
): After<State, Event> {
  return TRANSITIONS[state][event]
}
