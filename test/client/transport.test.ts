import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createTransport, type Transport } from '../../src/client/transport.ts'
import { operations } from '../../src/contract/index.ts'

describe('an HTTP exchange', () => {
  let server: Server | TcpServer | undefined
  let transport: Transport | undefined
  afterEach(async () => {
    await transport?.close()
    if (server && 'closeAllConnections' in server) server.closeAllConnections()
    server?.close()
  })

  async function exchangeWith(given: Server | TcpServer, options: { scheme?: string; timeoutMs?: number }) {
    server = given
    await new Promise<void>((resolve) => given.listen(0, '127.0.0.1', () => resolve()))
    const { port } = given.address() as AddressInfo
    const { scheme = 'http', timeoutMs = 5_000 } = options
    const baseUrl = `${scheme}://127.0.0.1:${port}`
    transport = createTransport({ baseUrl, appKey: 'key', timeoutMs })
    return transport.exchange(operations['team/infos'], { team_ids: [1] }, new AbortController().signal)
  }
  const http = (answer: RequestListener) => createServer(answer)

  it('returns the whole response and its size, even if the response arrives in parts', async () => {
    const answer = await exchangeWith(
      http((_, response) => {
        response.write('{"a"')
        setTimeout(() => response.end(':1}'), 20)
      }),
      {},
    )
    if (!('body' in answer)) return expect.unreachable('it should have been answered')
    expect(Buffer.concat(answer.body).toString()).toBe('{"a":1}')
    expect(answer).toMatchObject({ status: 200, bytes: 7 })
  })

  it('counts as sent if it fails after the request was written', async () => {
    expect(
      await exchangeWith(
        http((request) => request.socket.destroy()),
        {},
      ),
    ).toMatchObject({ sent: true })
  })

  it('counts as not sent if the connection is reset before the TLS handshake', async () => {
    const resetting = createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
    expect(await exchangeWith(resetting, { scheme: 'https' })).toMatchObject({
      sent: false,
      cause: { code: 'ECONNRESET' },
    })
  })

  it('ends at its deadline even if bytes are still arriving', async () => {
    let timer: NodeJS.Timeout | undefined
    const dripping = http((_, response) => {
      timer = setInterval(() => response.write(' '), 20)
    })
    const answer = await exchangeWith(dripping, { timeoutMs: 200 })
    clearInterval(timer)
    expect(answer).toMatchObject({ sent: true, cause: { message: 'no complete answer within 200 ms' } })
  })
})
