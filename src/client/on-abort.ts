const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `act` once when the signal is aborted; not when it is already. A signal compares each new listener with all that it
 * has, so a thousand requests that wait on one would compare half a million times: here they share one listener.
 * @returns takes `act` back
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const acts = waiting.get(signal) ?? listenTo(signal)
  acts.add(act)
  return () => void acts.delete(act)
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const acts = new Set<() => void>()
  waiting.set(signal, acts)
  const callAll = () => {
    for (const act of acts) act()
  }
  signal.addEventListener('abort', callAll, { once: true })
  return acts
}
