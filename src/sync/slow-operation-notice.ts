import type { Effects } from '../effects.ts'
import type { Published } from '../warehouse/published.ts'

/** Only operations that wait for a remote system take longer than this. */
const SLOW_MS = 15_000

/** Reports a slow operation, because waiting for an object store causes no error. */
export async function noticeIfSlow<Result>(
  what: string,
  {
    published: { waitsFor },
    effects,
    onNotice,
  }: {
    readonly published: Published
    readonly effects: Pick<Effects, 'sleep'>
    readonly onNotice?: ((sentence: string) => void) | undefined
  },
  act: () => Promise<Result>,
): Promise<Result> {
  if (waitsFor === undefined) return act()
  const ended = new AbortController()
  effects.sleep(SLOW_MS, ended.signal).then(
    () => onNotice?.(`${what} takes longer than ${SLOW_MS / 1_000} s: ${waitsFor}.`),
    () => undefined,
  )
  try {
    return await act()
  } finally {
    ended.abort()
  }
}
