import { connect } from 'node:net'

/** The bytes of a response, as text with one character for each byte. */
export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Sends exactly this target and these headers. Other HTTP clients would normalize them. */
export function askRaw(
  address: string,
  target: string,
  { method = 'GET', headers = [] }: { method?: string; headers?: readonly string[] } = {},
): Promise<RawAnswer> {
  const { port } = new URL(address)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', ...body] = text.split('\r\n\r\n')
      resolve({
        status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
        head,
        body: /^transfer-encoding: chunked/im.test(head)
          ? unchunked(body.join('\r\n\r\n'))
          : body.join('\r\n\r\n'),
      })
    })
    const lines = [`${method} ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  })
}

function unchunked(body: string): string {
  const [, size = '0'] = /^([0-9a-f]+)\r\n/i.exec(body) ?? []
  const [start, length] = [size.length + 2, Number.parseInt(size, 16)]
  if (length === 0) return ''
  return body.slice(start, start + length) + unchunked(body.slice(start + length + 2))
}
