import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'

/** URL encoding, JSON, base64 and regular expressions all change this key. */
export const KEY = 'k/secret+ =é%"\\$&{9}'

const servers: { close(): void }[] = []

export function closeServers(): void {
  for (const server of servers.splice(0)) server.close()
}

/** Starts a server with this behavior and returns its address. */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  return listening(createServer(answer))
}

async function listening(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An error envelope that repeats the address and the key in every field. */
function complain(request: IncomingMessage, response: ServerResponse, status: number, code: string) {
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-address': encodeURI(request.url ?? ''),
  })
  const error = { code, message: `${request.url} with the key ${KEY} (${JSON.stringify(KEY)})` }
  response.end(JSON.stringify({ request_id: `r-${encodeURIComponent(KEY)}`, error }))
}

export const answers = (status: number, code: string) =>
  serve((request, response) => complain(request, response, status, code))

/** Fails this number of times, then rejects. Transient failures are retried and logged. */
export function fails(status: number, times: number): Promise<string> {
  let count = 0
  return serve((request, response) => {
    const isFailing = count++ % (times + 1) < times
    const code = status === 429 ? 'RequestTooFrequently' : 'InternalError'
    if (isFailing) complain(request, response, status, code)
    else complain(request, response, 400, 'InvalidParameter')
  })
}

export const page = (status: number) =>
  serve((request, response) => {
    response.statusCode = status
    response.end(`<html>${request.url} ${KEY} ${Buffer.from(KEY).toString('base64')}</html>`)
  })

export const redirect = () =>
  serve((request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:9${request.url}` })
    response.end()
  })

/** Cuts off its first answers midway, then rejects. */
export function cutShort(): Promise<string> {
  let count = 0
  return serve((request, response) => {
    if (count++ % 3 === 2) return complain(request, response, 400, 'InvalidParameter')
    response.writeHead(200, { 'content-length': '1000' })
    response.write(`{"request_id":"${request.url}`, () => request.socket.destroy())
  })
}

/** Sends bytes that are not HTTP and contain the request, then rejects. */
export function noise(): Promise<string> {
  let count = 0
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      if (count++ % 3 < 2) {
        socket.end(`NOISE ${data}`)
        return
      }
      const body = JSON.stringify({
        request_id: 'r',
        error: { code: 'InvalidParameter', message: `${data}` },
      })
      const head = `HTTP/1.1 400 Bad Request\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`
      socket.end(head + body)
    })
  })
  return listening(server)
}

/** The service, but for paths that it rejects with the key in its answer. */
export function inFrontOf(baseUrl: string, ...refused: readonly string[]): Promise<string> {
  return serve(async (request, response) => {
    if (refused.some((path) => request.url?.startsWith(path)))
      return complain(request, response, 400, 'InvalidParameter')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = request.method === 'POST' ? Buffer.concat(chunks) : null
    const answer = await fetch(`${baseUrl}${request.url}`, { method: request.method ?? 'GET', body })
    response.writeHead(answer.status, { date: answer.headers.get('date') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
}
