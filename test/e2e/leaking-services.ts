import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A key that changes in URL encoding, JSON, base64 and regular expressions. */
export const KEY = 'k/secret+ =é%"\\$&{9}'

const servers: { close(): void }[] = []

export function closeServers(): void {
  for (const server of servers.splice(0)) server.close()
}

/** Starts a server that responds with `answer`, and returns its address. */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Responds with an error that repeats the address and the key in every field. */
function complain(request: IncomingMessage, response: ServerResponse, status: number, code: string) {
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-address': encodeURI(request.url ?? ''),
  })
  const error = { code, message: `${request.url} with the key ${KEY} (${JSON.stringify(KEY)})` }
  response.end(JSON.stringify({ request_id: `r-${encodeURIComponent(KEY)}`, error }))
}

/** Starts a proxy to the service. It refuses some paths, and its refusals contain the key. */
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
