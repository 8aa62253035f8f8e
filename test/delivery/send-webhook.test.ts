import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { post } from '../../src/delivery/send-webhook.ts'
import { DeliveryError } from '../../src/errors.ts'
import { type HookServer, hookServer } from '../support/server.ts'

const servers: HookServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
async function serve(...answer: Parameters<typeof hookServer>): Promise<HookServer> {
  const server = await hookServer(...answer)
  servers.push(server)
  return server
}

const never = new AbortController().signal
const message = { id: 'abc123', date: 1_795_000_000_123, body: '{"report":"wöchentlich"}' }

test('a webhook message is posted as JSON with a signature of id, time and body', async () => {
  const { url, posts } = await serve()
  await post(message, { url: new URL(url), secret: 's3cret' }, never)
  expect(posts).toHaveLength(1)
  expect(posts[0]).toMatchObject({ method: 'POST', url: '/hook', body: message.body })
  const { headers } = posts[0]!
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-faultline-delivery': 'abc123',
    'x-faultline-timestamp': '1795000000',
  })
  const hmac = createHmac('sha256', 's3cret').update(`abc123.1795000000.${message.body}`).digest('hex')
  expect(headers['x-faultline-signature']).toBe(`sha256=${hmac}`)
})

test('a webhook message is not signed if no secret is configured', async () => {
  const { url, posts } = await serve()
  await post(message, { url: new URL(url), secret: undefined }, never)
  expect(posts[0]?.headers).not.toHaveProperty('x-faultline-signature')
})

describe('a webhook delivery', () => {
  test.each([
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [429, true],
    [500, true],
    [503, true],
  ])('may be retried after HTTP %i: %s', async (status, isTransient) => {
    const { url } = await serve((response) => response.writeHead(status).end('why'))
    const sent = post(message, { url: new URL(url), secret: undefined }, never)
    await expect(sent).rejects.toMatchObject({
      isTransient,
      message: expect.stringContaining(String(status)),
    })
  })

  test.each([301, 302, 307, 308])(
    'fails permanently after an HTTP %i redirect, without following the redirect',
    async (status) => {
      const elsewhere = await serve()
      const { url } = await serve((response) => response.writeHead(status, { location: elsewhere.url }).end())
      const sent = post(message, { url: new URL(url), secret: 's3cret' }, never)
      await expect(sent).rejects.toMatchObject({
        isTransient: false,
        message: expect.stringContaining('redirect'),
      })
      expect(elsewhere.posts).toEqual([])
    },
  )

  test('is abandoned after the time limit without a response', async () => {
    const { url } = await serve(() => {})
    const sent = post(message, { url: new URL(url), secret: undefined }, never, 200)
    await expect(sent).rejects.toMatchObject({ isTransient: true })
  })

  test('does not reveal its URL in the error for a refused connection', async () => {
    const { url } = await serve()
    await servers[0]!.close()
    const error = (await post(message, { url: new URL(`${url}/T0P/s3cret`), secret: 'k' }, never).catch(
      (one: unknown) => one,
    )) as DeliveryError
    expect(error).toBeInstanceOf(DeliveryError)
    expect(error.isTransient).toBe(true)
    expect(`${error.message} ${error.next}`).not.toMatch(/s3cret|127\.0\.0\.1/)
  })

  test.each([
    [200, true],
    [500, false],
  ])('is judged by the status alone if HTTP %i comes with an endless body', async (status, isDelivered) => {
    const { url } = await serve((response) => {
      response.writeHead(status)
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      }
      response.on('drain', more).on('error', () => {})
      more()
    })
    const sent = post(message, { url: new URL(url), secret: undefined }, never)
    expect(
      await sent.then(
        () => true,
        () => false,
      ),
    ).toBe(isDelivered)
  })

  test('counts as successful after HTTP 200 with a truncated body', async () => {
    const { url } = await serve((response) => void response.writeHead(200).write('a'))
    await post(message, { url: new URL(url), secret: undefined }, never, 300)
  })
})
