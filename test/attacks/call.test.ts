import { describe, expect, test, vi } from 'vitest'
import { callOperation } from '../../src/cli/call/call.ts'
import { NetworkError } from '../../src/errors.ts'
import { start } from '../support/cli.ts'
import { listening } from '../support/console.ts'
import { freePort } from '../support/free-port.ts'
import { data, failure, reset, scriptedServer, stalled, text } from '../support/server.ts'

const PAGE = '{"items":[],"total":0,"p":1,"limit":20}'

async function call(baseUrl: string) {
  vi.stubEnv('FAULTLINE_APP_KEY', 'k3y-of-the-test')
  const context = listening({ baseUrl })
  const error = await callOperation(context, 'member/list', '{}', {}).then(
    () => undefined,
    (cause: unknown) => cause,
  )
  vi.unstubAllEnvs()
  return { error, notes: context.notes }
}

describe('faultline call', () => {
  test('fails without a retry if the first connection fails', async () => {
    const { error, notes } = await call(`http://127.0.0.1:${await freePort()}`)
    expect(error).toBeInstanceOf(NetworkError)
    expect((error as Error).message).toMatch(
      /^member\/list: the service was not reached: .*ECONNREFUSED[^(]*$/,
    )
    expect(notes).toEqual([])
  })

  test('reports each retry and its reason', async () => {
    const garbled = text(200, `{"data":${PAGE}}}`)
    await using server = await scriptedServer(failure(500, 'InternalError'), reset, garbled, data(PAGE))
    const { error, notes } = await call(server.baseUrl)
    expect(error).toBeUndefined()
    expect(notes.slice(0, -1)).toEqual([
      expect.stringMatching(/^The service failed; trying again in [\d.]+ s \(attempt 2\)\.$/),
      expect.stringMatching(/^The response was incomplete; trying again in [\d.]+ s \(attempt 3\)\.$/),
      expect.stringMatching(/^The response is invalid; trying again in [\d.]+ s \(attempt 4\)\.$/),
    ])
  })

  test('prints "Stopped" after an interrupt and does not mention a sync', async () => {
    await using server = await scriptedServer(stalled)
    const { process: child, ended } = start(['call', 'member/list'], {
      FAULTLINE_APP_KEY: 'k3y-of-the-test',
      FAULTLINE_BASE_URL: server.baseUrl,
    })
    await vi.waitFor(() => expect(server.seen.length).toBe(1), { timeout: 20_000 })
    child.kill('SIGINT')
    const { code, err } = await ended
    expect(err).toMatch(/^Stopped/)
    expect(err).not.toMatch(/sync|Stored data/)
    expect(code).toBe(1)
  })
})
