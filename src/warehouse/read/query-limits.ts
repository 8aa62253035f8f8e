import { runAfter } from '../../effects.ts'
import { type FaultlineError, WarehouseError } from '../../errors.ts'

/** What ends a query before its own end. */
export interface QueryLimits {
  /** Ends it; what was asked then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds after which it is ended, with a `WarehouseError`. */
  readonly timeout?: number | undefined
}

/**
 * Does something that can be stopped, within its limits.
 * @throws the signal's reason; WarehouseError when the time is over
 */
export async function within<Result>(
  { signal, timeout }: QueryLimits,
  stop: (reason: FaultlineError) => void,
  act: () => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  const onAbort = () => stop(new WarehouseError('It was stopped by its signal.'))
  signal?.addEventListener('abort', onAbort, { once: true })
  const over = () =>
    stop(
      new WarehouseError(`It did not end within ${timeout} ms.`, {
        next: 'Ask for less, or give it more time (`timeout`).',
      }),
    )
  const timer = timeout === undefined ? undefined : runAfter(timeout, over)
  try {
    return await act()
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
