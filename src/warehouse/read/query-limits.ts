import { runAfter } from '../../effects.ts'
import { type FaultlineError, WarehouseError } from '../../errors.ts'

export interface QueryLimits {
  /** Ends the query, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Time in milliseconds after which the query throws a WarehouseError. */
  readonly timeout?: number | undefined
}

/** Calls `stop` when `act` must end. @throws the signal's reason, or WarehouseError after the timeout */
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
        next: 'Request less, or allow more time (`timeout`).',
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
