import { type FaultlineError, WarehouseError } from '../errors.ts'

/** What ends a piece of work before its own end. */
export interface Limits {
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
  { signal, timeout }: Limits,
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
  const timer = timeout === undefined ? undefined : setTimeout(over, timeout)
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
