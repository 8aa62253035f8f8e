import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

/** As many at once as our client sends while answers come at once. */
const AT_ONCE = 8

/** A second, and what our client adds to one. */
const WINDOW_MS = 1_002.5

/**
 * The least that a program on undici can do and still keep 50 requests in each second: request n starts a window after
 * the answer of request n - 50. Made for answers that come at once. It checks nothing, tries nothing again, shares with
 * nobody and knows no minute.
 */
export function createBareClient(baseUrl: string, appKey: string) {
  const pool = new Pool(baseUrl, { connections: AT_ONCE })
  const answeredAt: number[] = []
  let started = 0

  return {
    async send(count: number) {
      const last = started + count
      const caller = async () => {
        while (started < last) {
          const before = answeredAt[started++ - 50]
          const waitMs = before === undefined ? 0 : before + WINDOW_MS - performance.now()
          if (waitMs > 0) await sleep(waitMs)
          answeredAt.push(await exchange(pool, `/team/infos?app_key=${appKey}`))
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, caller))
    },
    close: () => pool.destroy(),
  }
}

/** @returns when the head of the answer came, milliseconds */
function exchange(pool: Pool, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let at = 0
    const body: Buffer[] = []
    pool.dispatch(
      {
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json' },
        body: '{"team_ids":[1]}',
      },
      {
        onRequestStart() {},
        onResponseStart(_, status) {
          at = performance.now()
          if (status !== 200) reject(new Error(`status ${status}`))
        },
        onResponseData(_, chunk) {
          body.push(chunk)
        },
        onResponseEnd() {
          JSON.parse(Buffer.concat(body).toString())
          resolve(at)
        },
        onResponseError(_, error) {
          reject(error)
        },
      },
    )
  })
}
