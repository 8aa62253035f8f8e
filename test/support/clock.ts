import { type Effects, silent } from '../../src/effects.ts'

export interface VirtualTime extends Effects {
  readonly lines: { level: string; message: string; facts: Record<string, unknown> }[]
  /** Moves the clock to this time in Unix ms, and ends all sleeps on the way. */
  until(ms: number): Promise<void>
  /** Sets the wall clock as an administrator would. Sleeps keep their length. */
  set(ms: number): void
}

/** Work that does not use this clock, and needs real time. */
interface Outside {
  /** Resolves when all running work waits for the clock. */
  settled(): Promise<void>
  /** Sets the clock of the outside work to the same time. */
  moved(now: number): Promise<void>
}

/** A clock that moves only when a test moves it. Sleeps end in the order of their end times. */
export function virtualTime(
  start: number,
  outside: Outside = { settled, moved: async () => {} },
): VirtualTime {
  /** How far the wall clock is ahead of the elapsed time, in ms. */
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

/** Waits until all promises that can settle have settled. */
async function settled() {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

/** A clock that always shows this moment, Unix ms. */
export function standingTime(now: number, sleep: Effects['sleep']): Effects {
  return { now: () => now, elapsed: () => now, sleep, random: () => 0.5, log: silent }
}

/** A sleep that ends at once. */
export const atOnce = async () => {}

export const forever = () => new Promise<never>(() => {})
