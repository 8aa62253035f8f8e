import { type Effects, silent } from '../../src/effects.ts'

export interface VirtualTime extends Effects {
  /** Logged lines, in order. */
  readonly lines: { level: string; message: string; facts: Record<string, unknown> }[]
  /** Runs everything up to this time, Unix ms, and stops there. */
  until(ms: number): Promise<void>
  /** Sets the clock as an administrator would. Sleeps keep their length. */
  set(ms: number): void
}

/** Work outside of this clock that needs real time. */
interface Outside {
  /** Resolves when all running work waits for the clock. */
  settled(): Promise<void>
  /** Sets another clock to the same time. */
  moved(now: number): Promise<void>
}

/** A clock that only moves when a test moves it. It ends sleeps in order as it passes their ends. */
export function virtualTime(
  start: number,
  outside: Outside = { settled, moved: async () => {} },
): VirtualTime {
  /** Offset of the wall clock. */
  let ahead = 0
  let time = start
  let sleepers: { at: number; wake: () => void }[] = []
  const lines: VirtualTime['lines'] = []
  const line =
    (level: string) =>
    (message: string, facts: Record<string, unknown> = {}) => {
      lines.push({ level, message, facts })
    }
  return {
    lines,
    now: () => time + ahead,
    elapsed: () => time,
    random: () => 0.5,
    log: { debug: line('debug'), info: line('info'), warn: line('warn') },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const sleeper = { at: time + ms, wake: resolve }
        sleepers.push(sleeper)
        signal?.addEventListener(
          'abort',
          () => {
            sleepers = sleepers.filter((other) => other !== sleeper)
            reject(signal.reason)
          },
          { once: true },
        )
      }),
    async until(ms) {
      const end = ms - ahead
      for (;;) {
        await outside.settled()
        const next = sleepers.reduce<(typeof sleepers)[number] | undefined>(
          (first, one) => (first === undefined || one.at < first.at ? one : first),
          undefined,
        )
        if (!next || next.at > end) break
        sleepers = sleepers.filter((other) => other !== next)
        time = Math.max(time, next.at)
        await outside.moved(time + ahead)
        next.wake()
      }
      time = end
      await outside.moved(ms)
    },
    set(ms) {
      ahead = ms - time
    },
  }
}

/** Resolves when all promises have settled that can. */
async function settled() {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

/** A clock that always shows this moment, Unix ms. */
export function standingTime(now: number, sleep: Effects['sleep']): Effects {
  return { now: () => now, elapsed: () => now, sleep, random: () => 0.5, log: silent }
}

/** Sleeps that end at once. */
export const atOnce = async () => {}

/** A promise that never settles. */
export const forever = () => new Promise<never>(() => {})
