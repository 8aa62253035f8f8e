import { describe, expect, it } from 'vitest'
import { realEffects } from '../../src/effects.ts'
import { data, failure, mute } from '../support/server.ts'
import { errorOf, until, withService } from './service-fixture.ts'

describe('an abort of service calls', () => {
  it('rejects queued and running calls immediately, with the reason of the abort', async () => {
    const stop = new AbortController()
    await withService(
      [mute],
      async (client, { seen }) => {
        const calls = [1, 2, 3].map((id) =>
          errorOf(client.read('team/infos', { team_ids: [id] }, { signal: stop.signal })),
        )
        await until(() => seen.length === 1)
        stop.abort(new Error('enough'))
        for (const error of await Promise.all(calls)) expect(error).toBe(stop.signal.reason)
        expect(seen).toHaveLength(1)
      },
      // At one request per second, the other calls wait.
      { quota: 0.02, timeoutMs: 20_000 },
    )
  })

  it('rejects a call that waits for its retry', async () => {
    const stop = new AbortController()
    const effects = { ...realEffects(), random: () => 0.9 }
    const step = failure(503, 'Busy', '', { 'retry-after': '60' })
    await withService(
      [step],
      async (client, { seen }) => {
        const call = errorOf(client.read('team/infos', { team_ids: [1] }))
        await until(() => seen.length === 1)
        stop.abort(new Error('enough'))
        expect((await call).message).toBe('enough')
      },
      { effects, signal: stop.signal },
    )
  })

  it('is also caused by closing the client', async () => {
    await withService([mute], async (client, { seen }) => {
      const call = errorOf(client.read('team/infos', { team_ids: [1] }))
      await until(() => seen.length === 1)
      await client.close()
      expect((await call).message).toBe('the client was closed')
      expect((await errorOf(client.read('team/infos', { team_ids: [1] }))).message).toBe(
        'the client was closed',
      )
    })
  })
})

describe('HTTP requests', () => {
  it('can share one abort signal, 40 at a time, without a runtime warning', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    const { signal } = new AbortController()
    await withService(
      [data('{"items":[]}')],
      async (client) => {
        await Promise.all(
          Array.from({ length: 40 }, () => client.read('team/infos', { team_ids: [1] }, { signal })),
        )
        await Promise.all(Array.from({ length: 40 }, () => client.read('team/infos', { team_ids: [1] })))
      },
      { quota: Number.POSITIVE_INFINITY },
    )
    await new Promise(setImmediate)
    process.off('warning', note)
    expect(warnings).toEqual([])
  })
})
