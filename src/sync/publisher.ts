import type { Effects } from '../effects.ts'
import type { Resource } from '../resources/resource.ts'
import type { Settings } from '../settings/settings.ts'
import type { Published } from '../warehouse/published.ts'
import { publishAll, type Warehouse } from '../warehouse/warehouse.ts'
import { noticeIfSlow } from './slow-operation-notice.ts'

/**
 * Publishes the accounts of one sync as they finish. Accounts that finish at about the same time are published
 * together.
 */
export interface Publisher {
  /** Publishes the data that was read for an account, and closes its warehouse. @throws the error that prevented publishing */
  publish(warehouse: Warehouse): Promise<void>
  /** Reports that an account finished, successfully or not. */
  done(): void
}

/** The pause after a publication is nine times as long as the publication took, unless nothing is left to read. */
const PAUSE = 9

/**
 * Publishes finished accounts, together with all accounts that finished during the previous publication. If every publication
 * copies all accounts, publishing takes at most a tenth of the time.
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
