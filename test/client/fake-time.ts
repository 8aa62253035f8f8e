import type { Effects } from '../../src/effects.ts'
import { silent } from '../../src/effects.ts'

export interface FakeTime extends Effects {
  /** Runs `act` at the virtual time given, milliseconds. */
  at(ms: number, act: () => void): void
  /** Runs everything that is due, in order of time, until nothing is left. */
  run(): Promise<void>
}

/** A clock that stands still until `run` jumps it from one due act to the next. `random` is fixed to 0.5. */
export function fakeTime(): FakeTime {
  let time = 0
  const due: { ms: number; act: () => void }[] = []

  const at = (ms: number, act: () => void) => {
    const after = due.findIndex((other) => other.ms > ms)
    due.splice(after < 0 ? due.length : after, 0, { ms, act })
  }
  return {
    at,
    now: () => time,
    elapsed: () => time,
    random: () => 0.5,
    log: silent,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
        at(time + ms, resolve)
      }),
    async run() {
      await settled()
      for (let next = due.shift(); next !== undefined; next = due.shift()) {
        time = Math.max(time, next.ms)
        next.act()
        await settled()
      }
    },
  }
}

/** All promises that can settle have. */
async function settled() {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve()
}
