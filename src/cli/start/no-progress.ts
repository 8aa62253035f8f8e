import { MachineError } from '../../errors.ts'

/** What was told to end and has not ended by then is not waited for. */
const GRACE_MS = 60_000

/**
 * Does something for as long as it gets on: without a word of progress that is new for `idleMs` its signal is aborted.
 * @param signal ends it too
 * @throws MachineError when it was ended for that, or what `act` throws
 */
export async function withProgress<Result>(
  { signal, idleMs, graceMs = GRACE_MS }: { signal: AbortSignal; idleMs: number; graceMs?: number },
  act: (signal: AbortSignal, tell: (line: string) => void) => Promise<Result>,
): Promise<Result> {
  const idle = new AbortController()
  let last: string | undefined
  let giveUp: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined
  const stalled = new Promise<never>((_, reject) => {
    const end = () => {
      const error = new MachineError(`It made no progress for ${idleMs / 60_000} min, and was ended.`, {
        next: 'What was read is kept. Look at the service, the disk and the log before this.',
      })
      idle.abort(error)
      giveUp = setTimeout(() => reject(error), graceMs)
    }
    timer = setTimeout(end, idleMs)
  })
  const tell = (line: string) => {
    if (line !== last) timer?.refresh()
    last = line
  }
  try {
    return await Promise.race([act(AbortSignal.any([signal, idle.signal]), tell), stalled])
  } finally {
    clearTimeout(timer)
    clearTimeout(giveUp)
  }
}
