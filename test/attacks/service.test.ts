import { existsSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseJson, stringifyJson } from '../../src/contract/json.ts'
import { incidents } from '../../src/resources/incidents.ts'
import { ACCOUNT_ID } from '../../src/sandbox/world/company.ts'
import { createValidator } from '../../src/sync/validate-records.ts'
import { start } from '../support/cli.ts'
import { type Json, NOW, open, type Talk } from '../support/sandbox.ts'
import { onFreePort } from '../support/server.ts'
import { incident } from '../support/service.ts'
import { preparedWarehouse, scratch } from '../support/warehouse.ts'

let service: Talk
beforeAll(async () => {
  service = await open({ incidents: 2_000, now: NOW })
})

/**
 * Changes a response as a hostile service would. Undefined leaves the response unchanged. Null means that the function
 * has already sent a response.
 */
type Twist = (data: Json, input: Json, response: ServerResponse, count: number) => unknown

/** The sandbox behind a proxy that changes the responses of some operations. */
async function hostile(operations: string | readonly string[], twist: Twist) {
  const twisted = [operations].flat()
  let asked = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const isGet = request.method === 'GET'
    // The sandbox does not know the made-up cursor.
    const asks = body.replace(/"search_after_ctx":"made-up-\d+",?/, '').replace(',}', '}')
    const answer = await fetch(service.baseUrl + request.url, {
      method: request.method!,
      ...(isGet ? {} : { headers: { 'content-type': 'application/json' }, body: asks }),
    })
    const text = await answer.text()
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      date: new Date(NOW * 1_000).toUTCString(),
    })
    if (!twisted.some((one) => request.url!.startsWith(one))) return response.end(text)
    const envelope = parseJson(text) as Json
    const data = twist(envelope.data, JSON.parse(body), response, ++asked)
    if (data !== null) response.end(data === undefined ? text : stringifyJson({ ...envelope, data }))
    return undefined
  })
  return { ...(await onFreePort(server)), asked: () => asked }
}

/** Syncs from `baseUrl` in a child process, by default four windows. `memory` is its peak in MB. */
async function sync(baseUrl: string, since = '8d') {
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
  const { failures, ...summary } = JSON.parse(out)
  return {
    code,
    summary,
    messages: failures.map(({ message }: Json) => message),
    resources: failures.map((one: Json) => one.resource),
    memory: memory / 1_024,
  }
}

/** Expects that the sync fails for this resource only, with this message. */
function expectOneSentence(result: Awaited<ReturnType<typeof sync>>, resource: string, sentence: RegExp) {
  expect(result.code).toBe(1)
  expect(new Set(result.resources)).toEqual(new Set([resource]))
  for (const message of result.messages) expect(message).toMatch(sentence)
  expect(result.memory).toBeLessThan(1_000)
}

const copies = (item: Json, count: number, change: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => ({ ...item, ...change(index) }))
const id = (index: number) => index.toString(16).padStart(24, 'f')

describe.skipIf(!existsSync('/proc/self/status'))('a sync from a hostile service', () => {
  test('rejects a page with more incidents than were requested', async () => {
    await using proxy = await hostile('/incident/list', (data) => ({
      ...data,
      items: data.items.length ? copies(data.items[0], 5_000, (index) => ({ incident_id: id(index) })) : [],
    }))
    const result = await sync(proxy.baseUrl)
    expectOneSentence(result, 'incidents', /^incident\/list: .*items: 5,000 rows, but 100 were requested/)
    expect(result.summary.read).toBeGreaterThan(0)
  })

  test('rejects a page with more members or teams than were requested', async () => {
    await using members = await hostile('/member/list', (data, { limit }) =>
      limit === 1
        ? undefined
        : { ...data, items: copies(data.items[0], 300, (index) => ({ member_id: index })) },
    )
    expectOneSentence(await sync(members.baseUrl), 'members', /items: 300 rows, but 100 were requested/)
    await using teams = await hostile('/team/infos', (data) => ({
      ...data,
      items: copies(data.items[0], 3_000, (index) => ({ team_id: index + 1 })),
    }))
    expectOneSentence(await sync(teams.baseUrl), 'teams', /3,000 rows, but \d+ were requested/)
  })

  test('stops reading a response body of more than 16 MB', async () => {
    const piece = `{"title":"${'x'.repeat(60_000)}"},`
    await using proxy = await hostile('/incident/list', (_, __, response) => {
      response.write('{"request_id":"r","data":{"items":[')
      const more = () => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
      return null
    })
    const result = await sync(proxy.baseUrl)
    expectOneSentence(result, 'incidents', /^incident\/list: the answer is larger than 16 MB/)
    expect(proxy.asked()).toBeLessThanOrEqual(44) // Each of 4 windows is read in 5 page sizes, then in smaller parts.
  })

  test('uses less than 1 GB of memory for many pages of the largest allowed size', async () => {
    const text = 'x'.repeat(150_000)
    await using proxy = await hostile('/incident/list', (data) => ({
      ...data,
      items: data.items.map((item: Json) => ({ ...item, description: text })),
    }))
    const result = await sync(proxy.baseUrl, '35d')
    expect(result.messages).toEqual([])
    expect(result.memory).toBeLessThan(1_000)
  }, 300_000)

  test('rejects incidents with more than 100 undocumented fields', async () => {
    await using proxy = await hostile('/incident/list', (data, _, __, count) => ({
      ...data,
      items: data.items.map((item: Json, row: number) => ({
        ...item,
        ...Object.fromEntries(
          Array.from({ length: 300 }, (___, index) => [`f_${count}_${row}_${index}`, 'v'.repeat(50)]),
        ),
      })),
    }))
    expectOneSentence(await sync(proxy.baseUrl), 'incidents', /more than 100 undocumented fields/)
  })

  test('rejects incidents once all pages together have more than 100 undocumented fields', () => {
    const validate = createValidator(incidents)
    const page = (count: number) =>
      [0, 1, 2].map((row) => ({ ...incident(count * 3 + row), [`f_${count}_${row}`]: 1 }))
    for (let count = 0; count < 33; count++) expect(validate(page(count)).accepted.length).toBe(3)
    expect(() => validate(page(33))).toThrow(/more than 100 undocumented fields/)
  })

  test.each([
    ['the same rows', (data: Json) => data.items],
    [
      'new rows of the same second',
      (data: Json, count: number) =>
        copies(data.items[0], 100, (row) => ({ incident_id: id(count * 1_000 + row) })),
    ],
    [
      'rows from outside the window',
      (data: Json, count: number) =>
        copies(data.items[0], 100, (row) => ({
          incident_id: id(count * 1_000 + row),
          start_time: NOW + count * 60 + row,
        })),
    ],
    ['no rows', () => []],
  ])('stops reading a list whose cursors never end and whose pages contain %s', async (_, rows) => {
    const firsts = new Map<string, Json>()
    await using proxy = await hostile('/incident/list', (data, input, __, count) => {
      const window = `${input.start_time}`
      if (!firsts.has(window)) firsts.set(window, data)
      const first = firsts.get(window)
      if (first.items.length === 0) return undefined
      return {
        ...first,
        items: rows(first, count),
        total: 1_000,
        has_next_page: true,
        search_after_ctx: `made-up-${count}`,
      }
    })
    const result = await sync(proxy.baseUrl)
    expectOneSentence(
      result,
      'incidents',
      /^incident\/list: .*(was returned twice|no newer start within the window)/,
    )
    expect(proxy.asked()).toBeLessThan(60 * firsts.size)
  })

  test('stops reading a list that returns more rows than its total', async () => {
    const windows = new Set<number>()
    await using proxy = await hostile('/incident/list', (data, input, __, count) => {
      windows.add(input.start_time)
      if (data.items.length === 0) return undefined
      const items = copies(data.items[0], 100, (row) => ({
        incident_id: id(count * 1_000 + row),
        start_time: Math.min(input.end_time - 1, input.start_time + count * 100 + row),
      }))
      return { ...data, items, total: 500, has_next_page: true, search_after_ctx: `made-up-${count}` }
    })
    expectOneSentence(await sync(proxy.baseUrl), 'incidents', /more rows than its total of 500/)
    expect(proxy.asked()).toBeLessThan(30 * windows.size)
  })

  test.each([1e308, -5, 'many'])('rejects a list whose total is not a count: %j', async (total) => {
    const lists = ['/incident/list', '/member/list']
    await using proxy = await hostile(lists, (data, { limit }) =>
      limit === 1 ? undefined : { ...data, total },
    )
    const { code, messages, resources, memory } = await sync(proxy.baseUrl)
    expect(code).toBe(1)
    expect(new Set(resources)).toEqual(new Set(['incidents', 'members']))
    for (const message of messages)
      expect(message).toMatch(/^(incident|member)\/list: .*total: expected a count/)
    expect(memory).toBeLessThan(1_000)
  })

  test('stops reading an endless list of members once a member repeats', async () => {
    let first: Json
    await using proxy = await hostile('/member/list', (data, { limit }) => {
      if (limit === 1) return undefined
      first ??= data
      return { ...first, total: 1e12 }
    })
    expectOneSentence(await sync(proxy.baseUrl), 'members', /^member\/list: .*was returned twice/)
    expect(proxy.asked()).toBeLessThan(10)
  })

  test('quarantines large invalid rows with less than 1 GB of memory', async () => {
    const text = 'x'.repeat(140_000)
    await using proxy = await hostile('/incident/list', (data) => ({
      ...data,
      items: data.items.map((item: Json) => ({ ...item, start_time: 'soon', description: text })),
    }))
    const result = await sync(proxy.baseUrl, '35d')
    expect(result.summary.quarantined).toBeGreaterThan(0)
    expect(result.memory).toBeLessThan(1_000)
  }, 300_000)

  test('quarantines rows with one-megabyte ids without failing the other rows', async () => {
    const long = 'x'.repeat(1_000_000)
    const spoilt = new Set<string>()
    await using proxy = await hostile('/incident/list', (data) => ({
      ...data,
      items: data.items.map((item: Json, row: number) => {
        if (row >= 12) return item
        spoilt.add(item.incident_id)
        return { ...item, incident_id: item.incident_id + long }
      }),
    }))
    const result = await sync(proxy.baseUrl, '160d')
    expect(result.messages).toEqual([])
    expect(result.summary.quarantined).toBe(spoilt.size)
    expect(spoilt.size).toBeGreaterThan(100)
    expect(result.memory).toBeLessThan(1_000)
  }, 300_000)
})
