/** State of a window in `sync_windows`. `SPEC.md` describes the states. */
export type WindowState = 'open' | 'done' | 'unproven' | 'accepted'

/**
 * The state after each event:
 * - `taken`: a person accepts the window as incomplete
 * - `doubtful`: the window got the response to another request, or every window ended at exactly one full page
 * - `not believed`: the service did not return some stored records, but they are probably not missing
 */
const TRANSITIONS = {
  open: { proven: 'done', 'not proven': 'unproven', taken: 'accepted' },
  done: { doubtful: 'unproven', 'doubtful, taken': 'accepted', 'not believed': 'unproven' },
} as const satisfies Partial<Record<WindowState, Record<string, WindowState>>>

type Transitions = typeof TRANSITIONS

/** Returns the state after an event. An event that is impossible in the state is a type error. */
export function after<State extends keyof Transitions, Event extends keyof Transitions[State]>(
  state: State,
  event: Event,
): Transitions[State][Event] {
  return TRANSITIONS[state][event]
}
