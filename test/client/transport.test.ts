import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { createTransport } from '../../src/client/transport.ts'
import { operations } from '../../src/contract/index.ts'

describe('an exchange tells whether its connection stood already', () => {
  let server: Server | undefined
  afterEach(() => server?.close())

  async function exchangesWith(answer: RequestListener) {
    server = createServer(answer)
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const transport = createTransport({
      baseUrl: `http://127.0.0.1:${port}`,
      appKey: 'key',
      timeoutMs: 5_000,
      connections: 2,
      clock: () => performance.now(),
    })
    const reused = async () => {
      const result = await transport.exchange(operations['team/infos'], { team_ids: [1] })
      // The pool takes the connection back a moment after the answer's end.
      await setImmediate()
      return 'reused' in result ? result.reused : undefined
    }
    return { reused, close: transport.close }
  }

  it('one after another, and two at once', async () => {
    const { reused, close } = await exchangesWith((_, response) => void response.end('{}'))
    expect(await reused()).toBe(false)
    expect(await reused()).toBe(true)
    expect((await Promise.all([reused(), reused()])).sort()).toEqual([false, true])
    expect(await Promise.all([reused(), reused()])).toEqual([true, true])
    await close()
  })

  it('to a service that closes it after each answer', async () => {
    const { reused, close } = await exchangesWith(
      (_, response) => void response.setHeader('connection', 'close').end('{}'),
    )
    expect(await reused()).toBe(false)
    expect(await reused()).toBe(false)
    await close()
  })
})
