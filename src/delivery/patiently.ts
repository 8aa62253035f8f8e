import type { Effects } from '../effects.ts'
import { DeliveryError } from '../errors.ts'

/** Waits between attempts; a server that is restarted is back by then, and the next report does not wait for long. */
const WAITS_MS = [2_000, 10_000, 60_000]

/**
 * Does something that may fail for a while, at most four times; waits are a quarter longer or shorter by chance.
 * @throws the last failure, or the signal's reason
 */
export async function patiently(
  effects: Pick<Effects, 'sleep' | 'random' | 'log'>,
  signal: AbortSignal,
  act: () => Promise<void>,
): Promise<void> {
  for (const wait of WAITS_MS) {
    signal.throwIfAborted()
    try {
      return await act()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof DeliveryError) || !error.isPassing) throw error
      effects.log.warn('delivery is tried again', { error: error.message, wait_ms: wait })
    }
    await effects.sleep(wait * (0.75 + effects.random() / 2), signal)
  }
  signal.throwIfAborted()
  return act()
}
