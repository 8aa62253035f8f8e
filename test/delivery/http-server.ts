import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

export interface Posted {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

export interface HttpServer {
  readonly url: string
  readonly posts: Posted[]
  close(): Promise<void>
}

/** A server on this machine that notes what it is sent; `answer` replies, 204 unless it does. */
export function httpServer(
  answer: (response: ServerResponse, count: number) => void = (response) => response.writeHead(204).end(),
): Promise<HttpServer> {
  const posts: Posted[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      posts.push({ method: request.method!, url: request.url!, headers: request.headers, body })
      answer(response, posts.length)
    })
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      resolve({
        url: `http://127.0.0.1:${port}/hook`,
        posts,
        close: () =>
          new Promise((closed) => {
            server.closeAllConnections()
            server.close(() => closed())
          }),
      })
    })
  })
}
