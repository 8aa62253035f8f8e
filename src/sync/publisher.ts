import type { Effects } from '../effects.ts'
import type { Resource } from '../resources/resource.ts'
import type { Settings } from '../settings/settings.ts'
import type { Published } from '../warehouse/published.ts'
import { publishAll, type Warehouse } from '../warehouse/warehouse.ts'
import { noticeIfSlow } from './slow-operation-notice.ts'

export type Publisher = ReturnType<typeof createPublisher>

/** Pause after a publication, as a multiple of the publication's duration. */
const PAUSE = 9

/**
 * Publishes the accounts of one sync. Accounts that finish during a publication are published together after it. If
 * every publication copies all accounts, pauses limit publishing to a tenth of the time.
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
) {
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
    /** Publishes and closes the warehouse. @throws if publishing failed */
    publish(warehouse: Warehouse): Promise<void> {
      return new Promise((resolve, reject) => {
        waiting.push({ warehouse, end: (failure) => (failure === undefined ? resolve() : reject(failure)) })
        if (!running) void run()
      })
    },
    /** Call this when an account finished, successfully or not. After the last account, there is no pause. */
    done(): void {
      reading -= 1
      if (reading === 0) allRead.abort()
    },
  }
}
