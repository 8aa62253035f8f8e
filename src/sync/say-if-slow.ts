import type { Place } from '../config/lake.ts'
import type { Effects } from '../effects.ts'

/** What takes moments where servers answer. */
const SLOW_MS = 15_000

/** Does something with a lake, and says once what it may be waiting for when that takes long: a store that hangs gives no error. */
export async function sayIfSlow<Result>(
  what: string,
  {
    path,
    effects,
    onNotice,
  }: {
    readonly path: Place
    readonly effects: Pick<Effects, 'sleep'>
    readonly onNotice?: ((sentence: string) => void) | undefined
  },
  act: () => Promise<Result>,
): Promise<Result> {
  if (typeof path === 'string') return act()
  const ended = new AbortController()
  effects.sleep(SLOW_MS, ended.signal).then(
    () =>
      onNotice?.(
        `${what} has taken ${SLOW_MS / 1_000} s and goes on: PostgreSQL or the store ${path.data} is slow or does not answer, or another machine publishes.`,
      ),
    () => undefined,
  )
  try {
    return await act()
  } finally {
    ended.abort()
  }
}
