import { createReadStream } from 'node:fs'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listenLocally, parsePort } from '../../src/cli/local-server.ts'
import { askRaw } from '../support/raw-request.ts'

async function serving(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  options: { host?: string; stalledMs?: number } = {},
) {
  const errors: string[] = []
  const server = await listenLocally(
    { port: 0, option: '--port', onError: (text) => errors.push(text), ...options },
    answer,
  )
  onTestFinished(() => server.close())
  return { ...server, errors }
}

test.each<[string, (response: ServerResponse) => unknown]>([
  [
    'throws',
    () => {
      throw new RangeError('out of range')
    },
  ],
  [
    'rejects',
    async () => {
      throw new RangeError('out of range')
    },
  ],
  ['rejects with a string', () => Promise.reject('out of range')],
  ['sets a header that cannot be sent', (response) => response.writeHead(200, { a: 'out of range\n' })],
])('the local server answers 500 and logs a line if a handler %s', async (_, fail) => {
  const { url, errors } = await serving(({ url }, response) =>
    url === '/a' ? fail(response) : response.end('b'),
  )
  const { status, body } = await askRaw(url, '/a')
  expect([status, body]).toEqual([500, 'The request failed. See the log.\n'])
  expect(errors).toEqual([expect.stringMatching(/^GET \/a: /)])
  expect((await askRaw(url, '/b')).body).toBe('b')
})

test('the local server answers the next request after a response that failed midway', async () => {
  const { url, errors } = await serving(({ url }, response) => {
    if (url === '/b') return response.end('b')
    response.writeHead(200, { 'content-length': 100 }).write('half')
    if (url === '/stream') return createReadStream('/none').on('error', (error) => response.destroy(error))
    if (url === '/twice') return response.end('the rest') && response.end('and more')
    if (url === '/late') return response.end('x', () => response.write('behind the end'))
    throw new Error('the disk is gone')
  })
  for (const path of ['/a', '/stream', '/twice', '/late']) await askRaw(url, path).catch(() => undefined)
  expect(errors).toContain('GET /a: the disk is gone')
  expect((await askRaw(url, '/b')).body).toBe('b')
})

test('the local server closes a connection whose client never reads', async () => {
  const closed = vi.fn()
  const { url } = await serving(
    (_, response) => {
      response.on('close', closed)
      const piece = Buffer.alloc(1_000_000)
      const fill = () => {
        while (!response.destroyed && response.write(piece));
      }
      response.on('drain', fill)
      fill()
    },
    { stalledMs: 100 },
  )
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await vi.waitFor(() => expect(closed).toHaveBeenCalled(), { timeout: 30_000 })
})

/** Headers that a browser adds to a request. */
const fetched = (site: string, mode = 'no-cors', dest = 'empty') => [
  `Sec-Fetch-Site: ${site}`,
  `Sec-Fetch-Mode: ${mode}`,
  `Sec-Fetch-Dest: ${dest}`,
]
const statusOf = (url: string, headers: readonly string[]) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = Object.fromEntries(headers.map((line) => line.split(': ')))
    request(url, { headers: sent }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end()
  })

test.each([
  [200, 'a program', []],
  [200, 'a typed address', fetched('none', 'navigate', 'document')],
  [200, 'its own page', fetched('same-origin')],
  [200, 'its own frame', fetched('same-origin', 'navigate', 'iframe')],
  [200, 'a followed link', fetched('cross-site', 'navigate', 'document')],
  [403, 'a picture on another site', fetched('cross-site', 'no-cors', 'image')],
  [403, 'a script on another site', fetched('cross-site', 'cors')],
  [403, 'a frame on another site', fetched('cross-site', 'navigate', 'iframe')],
  [403, 'an object on another site', fetched('cross-site', 'navigate', 'object')],
  [403, 'a page on another port', fetched('same-site')],
  [403, 'a client with an unknown Sec-Fetch-Site value', fetched('elsewhere')],
  ...['localhost:9000', '127.0.0.1', '[::1]:80', 'LOCALHOST:1'].map(
    (host) => [200, `a program that uses the host name ${host}`, [`Host: ${host}`]] as const,
  ),
  ...['evil.example', 'localhost.evil.example:8000', 'x@localhost', '10.0.0.1', '[::2]', 'localhost:8:1'].map(
    (host) => [403, `a page with the host name ${host}`, [`Host: ${host}`]] as const,
  ),
] as const)('the local server answers %i to a request from %s', async (status, _, headers) => {
  const { url } = await serving((_, response) => response.end())
  expect(await statusOf(url, headers)).toBe(status)
})

test('a server on all interfaces accepts requests for any host name and from any site', async () => {
  const { url } = await serving((_, response) => response.end(), { host: '0.0.0.0' })
  const local = url.replace('0.0.0.0', '127.0.0.1')
  expect(await statusOf(local, ['Host: metrics.example', ...fetched('cross-site')])).toBe(200)
})

test('every response of the local server forbids other sites to embed or read the page', async () => {
  const { url } = await serving(() => {
    throw new Error('x')
  })
  for (const headers of [[], fetched('cross-site')]) {
    const { head } = await askRaw(url, '/', { headers })
    expect(head).toMatch(/cross-origin-resource-policy: same-origin/i)
    expect(head).toMatch(/content-security-policy: frame-ancestors 'self'/i)
    expect(head).toMatch(/x-content-type-options: nosniff/i)
  }
})

test('a port in use is reported with the option that set the port', async () => {
  const { url } = await serving(() => undefined)
  const port = Number(new URL(url).port)
  await expect(listenLocally({ port, option: '--port', onError() {} }, () => undefined)).rejects.toThrow(
    `--port: cannot listen on 127.0.0.1:${port}: listen EADDRINUSE`,
  )
})

test.each(['99999', '65536', '-1', '1.5', '1e3', '0x10', '', ' 80', 'http'])(
  '%j is rejected as a port',
  (text) => {
    expect(() => parsePort('--port', text)).toThrow(`--port: "${text}" is not a port.`)
  },
)

test.each([
  ['0', 0],
  ['65535', 65_535],
  ['08080', 8_080],
])('%s is accepted as a port', (text, port) => {
  expect(parsePort('--port', text)).toBe(port)
})
