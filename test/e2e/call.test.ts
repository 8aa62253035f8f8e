import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { callOperation } from '../../src/cli/call/call.ts'
import { operationList } from '../../src/contract/index.ts'
import { parseJson, stringifyJson } from '../../src/contract/json.ts'
import { startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { ROWS, call as request } from '../sandbox/conformance/operations.ts'
import { run, start } from '../support/cli.ts'
import { listening } from '../support/console.ts'
import { type Json, NOW, open, type Talk } from '../support/sandbox.ts'
import { sideDoor } from '../support/side-door.ts'

let service: Talk
let world: Json
beforeAll(async () => {
  service = await open({ incidents: 300 })
  world = await service.control('world')
})

afterEach(() => void vi.unstubAllEnvs())

const environment = () => ({ FAULTLINE_APP_KEY: service.appKey, FAULTLINE_BASE_URL: service.baseUrl })

describe('faultline call', () => {
  test.each(ROWS)('prints the data of $path, and the request id as a note', async (row) => {
    const input = stringifyJson(row.request(world))
    vi.stubEnv('FAULTLINE_APP_KEY', service.appKey)
    const context = listening({ baseUrl: service.baseUrl })
    const code = await callOperation(context, row.path.slice(1), input, { yes: true })
    expect([code, context.notes]).toEqual([0, [expect.stringMatching(/^request [0-9A-Z]{26}$/)]])
    const data = parseJson(context.results.join('\n'))
    expect(data).toBeTypeOf('object')
    if (!operationList.find((one) => one.path === row.path)!.writes) {
      expect(data).toEqual((await request(service, row, row.request(world))).body.data)
    }
  })

  test('prints only the data to standard output when run as a process', async () => {
    const { code, out, err } = await run(['call', 'member/list', '{"limit":1}', '--yes'], environment())
    expect([code, err]).toEqual([0, expect.stringMatching(/^request [0-9A-Z]{26}\n$/)])
    expect(parseJson(out)).toMatchObject({ items: [expect.anything()] })
  })

  test('rejects an invalid request before the request is sent', async () => {
    const before = service.stats().requests
    for (const [name, input] of [
      ['channel/info', '{"channel_id":"one"}'],
      ['calendar/create', '{"cal_name":""}'],
      ['channel/info', '{'],
      ['chanel/info', '{}'],
    ] as const) {
      const { code, out, err } = await run(['call', name, input, '--yes'], environment())
      expect([code, out]).toEqual([2, ''])
      expect(err).toMatch(/^error: /)
      expect(err).toMatch(/--help|quotes|Did you mean/)
    }
    expect(service.stats().requests).toBe(before)
  })

  test('rejects an operation that writes unless --yes is given', async () => {
    const before = service.stats().requests
    const { code, err } = await run(['call', 'role/disable', '{"role_id":1001}'], environment())
    expect(code).toBe(2)
    expect(err).toContain('--yes')
    expect(service.stats().requests).toBe(before)
  })
})

describe('faultline sandbox', () => {
  test('prints the OpenAPI document with --openapi and exits', async () => {
    const { code, out } = await run(['sandbox', '--openapi', '--port', '8123'])
    const document = JSON.parse(out)
    expect([code, document.openapi]).toEqual([0, '3.1.0'])
    expect(document.servers).toEqual([{ url: 'http://127.0.0.1:8123' }])
    expect(Object.keys(document.paths).length).toBe(20)
  })

  test('prints its URL as JSON and ends on SIGTERM', async () => {
    const options =
      '--port 0 --incidents 50 --seed 7 --stand --now 2026-11-21T12:00:00Z --faults status_500=1'
    const running = start(['sandbox', ...options.split(' '), '--no-retry-after'])
    onTestFinished(() => void running.process.kill('SIGKILL'))
    const line = await new Promise<string>((resolve) => running.process.stdout!.once('data', resolve))
    const { base_url, app_key, now } = JSON.parse(line)
    expect(now).toBe(NOW)
    expect(base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const answer = await fetch(`${base_url}/member/list?app_key=${app_key}`, { method: 'POST' })
    expect(answer.status).toBe(500)
    running.process.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
  })

  test('prints shell exports with --env', async () => {
    const running = start(['sandbox', '--port', '0', '--incidents', '10', '--env', '--now', '2026-11-21'])
    onTestFinished(() => void running.process.kill('SIGKILL'))
    const lines = String(await new Promise((resolve) => running.process.stdout!.once('data', resolve)))
    expect(lines).toMatch(
      /^export FAULTLINE_BASE_URL=http:\/\/127\.0\.0\.1:\d+\nexport FAULTLINE_APP_KEY=\w+\n$/,
    )
    const address = /http:\S+/.exec(lines)![0]
    const clock = async () => ((await (await sideDoor(address, 'clock')).json()) as { now: number }).now
    const first = await clock()
    await expect.poll(clock, { timeout: 10_000 }).toBeGreaterThan(first)
  })

  test.each([
    ['--faults status_418=1', /status_418/],
    ['--faults reset=', /--faults/],
    ['--port 65536', /port/],
    ['--incidents many', /--incidents/],
    ['--incidents 1e3', /whole number/],
    // This number would be rounded.
    ['--account 9007199254740993', /--account.*9007199254740991/],
  ])('names the invalid option in the error for %s', async (options, message) => {
    const { code, err } = await run(['sandbox', '--port', '0', ...options.split(' ')])
    expect(code).toBe(2)
    expect(err).toMatch(message)
    expect(err).not.toContain('bug in Faultline')
  })

  test('listens only on this machine by default', async () => {
    const sandbox = await startSandbox({ incidents: 10 })
    onTestFinished(() => sandbox.close())
    expect(sandbox.baseUrl).toContain('127.0.0.1')
    // All of 127.0.0.0/8 is this machine, so a server on all addresses would respond here too.
    await expect(fetch(`http://127.0.0.2:${sandbox.port}/`)).rejects.toThrow()
  })
})
