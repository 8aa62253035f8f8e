import type { Effects } from '../effects.ts'
import type { Resource } from '../resources/resource.ts'
import type { Settings } from '../settings/settings.ts'
import type { Published } from '../warehouse/published.ts'
import { publishAll, type Warehouse } from '../warehouse/warehouse.ts'
import { noticeIfSlow } from './slow-operation-notice.ts'

/** Publishes accounts of one sync as they are read, together where they come together. */
export interface Publisher {
  /** Publishes what was read of an account, and closes it. @throws what kept readers from seeing it */
  publish(warehouse: Warehouse): Promise<void>
  /** One account fewer is being read, whatever came of it. */
  done(): void
}

/** After publishing took some time, nine times as long goes to reading, unless nothing is read any more. */
const PAUSE = 9

/**
 * An account that was read is published at once, with all that ended while the one before was published. Where each
 * publishing copies all accounts, it takes a tenth of the time at most.
 * @param accounts how many are to be read
 */
export function createPublisher(
  accounts: number,
  options: {
    readonly published: Published
    readonly effects: Pick<Effects, 'elapsed' | 'sleep'>
    readonly onNotice?: (sentence: string) => void
    readonly known: readonly Resource[]
    readonly settings?: Settings
  },
): Publisher {
  const { effects, known, settings } = options
  let reading = accounts
  let notBefore = 0
  let running = false
  const allRead = new AbortController()
  const waiting: { warehouse: Warehouse; end: (failure: unknown) => void }[] = []
  async function run() {
    running = true
    while (waiting.length > 0) {
      const pause = notBefore - effects.elapsed()
      if (pause > 0) await effects.sleep(pause, allRead.signal).catch(() => undefined)
      const round = waiting.splice(0)
      const startedAt = effects.elapsed()
      const warehouses = round.map(({ warehouse }) => warehouse)
      const failures = await noticeIfSlow('Publishing', options, () =>
        publishAll(warehouses, known, settings),
      ).catch((error) => round.map(() => error))
      for (const [index, { end }] of round.entries()) end(failures[index])
      const share = options.published.copiesAll ? PAUSE : 0
      notBefore = effects.elapsed() + share * (effects.elapsed() - startedAt)
    }
    running = false
  }
  return {
    publish(warehouse) {
      return new Promise((resolve, reject) => {
        waiting.push({ warehouse, end: (failure) => (failure === undefined ? resolve() : reject(failure)) })
        if (!running) void run()
      })
    },
    done() {
      reading -= 1
      if (reading === 0) allRead.abort()
    },
  }
}
