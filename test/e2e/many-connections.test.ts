import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Running, start } from '../support/cli.ts'

/** The number of files this process may open. Each connection takes one here and one in the service's process. */
const openFiles =
  Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' })) || Number.POSITIVE_INFINITY
const CONNECTIONS = Math.min(10_000, openFiles - 500)
const BATCH = 250

/** Begins a request and never ends its headers. */
const UNFINISHED = 'POST /member/list HTTP/1.1\r\nHost: x\r\nX-Slow: '

let service: Running
let baseUrl: string
let appKey: string
const sockets: Socket[] = []
beforeAll(async () => {
  service = start(['sandbox', '--port', '0', '--incidents', '500', '--no-limits'])
  const line = await new Promise<string>((resolve) => service.process.stdout!.once('data', resolve))
  ;({ base_url: baseUrl, app_key: appKey } = JSON.parse(line))
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  service.process.kill('SIGTERM')
  await service.ended
})

describe(`${CONNECTIONS} open connections`, () => {
  test('do not delay other requests, half of them silent and half with endless headers', async () => {
    while (sockets.length < CONNECTIONS) {
      const batch = Array.from({ length: Math.min(BATCH, CONNECTIONS - sockets.length) }, (_, k) =>
        dial(k % 2 === 0),
      )
      sockets.push(...(await Promise.all(batch)))
    }
    expect(sockets.filter((one) => !one.destroyed).length).toBeGreaterThan(CONNECTIONS * 0.9)
    for (let k = 0; k < 20; k++) {
      const answer = await fetch(`${baseUrl}/member/list?app_key=${appKey}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"limit":1}',
      })
      expect(answer.status).toBe(200)
    }
    expect(residentMb(service.process.pid!)).toBeLessThan(1_000)
  })

  test('get an answer and are closed when their headers do not arrive', async () => {
    const [slow, silent] = sockets.slice(-2) as [Socket, Socket]
    const answers = await Promise.all([slow, silent].map(answerOf))
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      const [head, body] = answer.split('\r\n\r\n') as [string, string]
      const { request_id, error } = JSON.parse(body)
      expect(head).toContain(`Service-Request-Id: ${request_id}`)
      expect(error.code).toBe('InvalidParameter')
    }
  })
})

function dial(beginsRequest: boolean): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
    socket.once('connect', () =>
      beginsRequest ? socket.write(UNFINISHED, () => resolve(socket)) : resolve(socket),
    )
    socket.once('error', reject)
  })
}

/** All data from the service until it closes the connection. */
async function answerOf(socket: Socket): Promise<string> {
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}

function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024
  } catch {
    return 0
  }
}
