import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { parseAddress } from '../../../src/cli/serve/address.ts'
import { answerSender } from '../../../src/cli/serve/serve-explorer.ts'
import type { Explorer } from '../../../src/explore/explore.ts'

const LONG = { timeout: 60_000 }

/** An explorer whose responses wait for `letGo`, and its server. */
async function held() {
  const waiting: (() => void)[] = []
  let [atOnce, most, asked] = [0, 0, 0]
  const explored: Explorer = {
    async answer(path) {
      asked++
      most = Math.max(most, ++atOnce)
      await new Promise<void>((go) => waiting.push(go))
      atOnce--
      return { status: 200, type: 'text/plain', body: path }
    },
    close() {},
  }
  const send = answerSender(explored)
  const server = createServer((request, response) => void send(parseAddress(request.url)!, request, response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ask: (path: string, signal?: AbortSignal) => fetch(url + path, { signal: signal ?? null }),
    letGo: () => waiting.shift()?.(),
    most: () => most,
    asked: () => asked,
  }
}

test('the explorer answers 503 while two requests are running and sixteen are queued', async () => {
  const { ask, letGo, most, asked } = await held()
  const replies = Array.from({ length: 60 }, () => ask('/explore'))
  const refused: Response[] = []
  for (const reply of replies) void reply.then((one) => one.status === 503 && refused.push(one))
  await expect.poll(() => refused.length, LONG).toBe(42)
  expect(refused[0]!.headers.get('retry-after')).toBe('5')
  const timer = setInterval(letGo, 1)
  const statuses = (await Promise.all(replies)).map(({ status }) => status)
  clearInterval(timer)
  expect(statuses.filter((status) => status === 200)).toHaveLength(18)
  expect([most(), asked()]).toEqual([2, 18])
})

test('slow CSV downloads do not delay the pages of the explorer', async () => {
  const { ask, letGo, asked } = await held()
  const tables = [1, 2, 3].map(() => ask('/explore/incidents.csv'))
  await expect.poll(asked, LONG).toBe(2)
  const page = ask('/explore')
  await expect.poll(asked, LONG).toBe(3)
  const timer = setInterval(letGo, 1)
  expect((await page).status).toBe(200)
  await Promise.all(tables)
  clearInterval(timer)
})

test('the explorer does not compute a queued request whose client has disconnected', async () => {
  const { ask, letGo, asked } = await held()
  const first = [ask('/explore'), ask('/explore')]
  await expect.poll(asked, LONG).toBe(2)
  const leaving = new AbortController()
  const left = ask('/explore', leaving.signal)
  const last = ask('/explore/change')
  leaving.abort()
  await expect(left).rejects.toThrow()
  const timer = setInterval(letGo, 1)
  await Promise.all([...first, last])
  clearInterval(timer)
  expect(asked()).toBe(3)
})
