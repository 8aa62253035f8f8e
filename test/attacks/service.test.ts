import { existsSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseJson, stringifyJson } from '../../src/contract/json.ts'
import { ACCOUNT_ID } from '../../src/sandbox/world/company.ts'
import { start } from '../support/cli.ts'
import { type Json, NOW, open, type Talk } from '../support/sandbox.ts'
import { onFreePort } from '../support/server.ts'
import { preparedWarehouse, scratch } from '../support/warehouse.ts'

let service: Talk
beforeAll(async () => {
  service = await open({ incidents: 2_000, now: NOW })
})

/** Starts the sandbox behind a proxy. `respond` sends the responses about incidents. */
async function hostile(respond: (data: Json, response: ServerResponse) => void) {
  let asked = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const isGet = request.method === 'GET'
    const answer = await fetch(service.baseUrl + request.url, {
      method: request.method!,
      ...(isGet ? {} : { headers: { 'content-type': 'application/json' }, body }),
    })
    const text = await answer.text()
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      date: new Date(NOW * 1_000).toUTCString(),
    })
    if (!request.url!.startsWith('/incident/list')) return response.end(text)
    asked++
    respond(parseJson(text), response)
    return undefined
  })
  return { ...(await onFreePort(server)), asked: () => asked }
}

/** Syncs from `baseUrl` in a child process. `memory` is its peak in MB. */
async function sync(baseUrl: string, since: string) {
  const folder = scratch()
  preparedWarehouse(join(folder, 'faultline.duckdb'), ACCOUNT_ID)
  const { process: child, ended } = start(
    ['sync', '--since', since, '--json'],
    { FAULTLINE_APP_KEY: service.appKey, FAULTLINE_BASE_URL: baseUrl },
    folder,
  )
  let memory = 0
  const look = setInterval(() => {
    const status = `/proc/${child.pid}/status`
    if (existsSync(status))
      memory = Math.max(memory, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] ?? 0))
  }, 50)
  const { out, code } = await ended
  clearInterval(look)
  const { failures } = JSON.parse(out)
  return { code, failures, memory: memory / 1_024 }
}

describe.skipIf(!existsSync('/proc/self/status'))('a sync from a hostile service', () => {
  test('stops reading a response body of more than 16 MB', async () => {
    const piece = `{"title":"${'x'.repeat(60_000)}"},`
    await using proxy = await hostile((_, response) => {
      response.write('{"request_id":"r","data":{"items":[')
      const more = () => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    const { code, failures, memory } = await sync(proxy.baseUrl, '8d')
    expect(code).toBe(1)
    for (const { resource, message } of failures)
      expect([resource, message]).toEqual([
        'incidents',
        expect.stringMatching(/^incident\/list: the answer is larger than 16 MB/),
      ])
    expect(memory).toBeLessThan(1_000)
    expect(proxy.asked()).toBeLessThanOrEqual(44) // Each of 4 windows is read in 5 page sizes, then in smaller parts.
  })

  test('uses less than 1 GB of memory for many pages of the largest allowed size', async () => {
    const description = 'x'.repeat(150_000)
    await using proxy = await hostile(({ data, ...rest }, response) => {
      const items = data.items.map((item: Json) => ({ ...item, description }))
      response.end(stringifyJson({ ...rest, data: { ...data, items } }))
    })
    const { failures, memory } = await sync(proxy.baseUrl, '35d')
    expect(failures).toEqual([])
    expect(memory).toBeLessThan(1_000)
  }, 300_000)
})
