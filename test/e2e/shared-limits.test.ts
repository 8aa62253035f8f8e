import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { start } from '../support/process.ts'

const BURST = fileURLToPath(new URL('./burst.mjs', import.meta.url))
const LIMITER = new URL('../../dist/client/limiter.js', import.meta.url).href
const EFFECTS = new URL('../../dist/effects.js', import.meta.url).href

let sandbox: Sandbox | undefined
const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await sandbox?.close()
})

const NODE = [process.execPath] as const

async function service(options: SandboxOptions = {}): Promise<Sandbox> {
  sandbox = await startSandbox({ incidents: 10, ...options })
  return sandbox
}

/**
 * Starts a process that sends this number of requests. `ended` resolves to the counts of the client in that process.
 */
function burst({ baseUrl, appKey }: Sandbox, requests: number, environment: Record<string, string> = {}) {
  const running = start([BURST, baseUrl, appKey, `${requests}`, '1'], environment, undefined, NODE)
  children.push(running.process)
  return running.ended.then(({ code, out, err }) => ({ code, err, ...(out === '' ? {} : JSON.parse(out)) }))
}

test('two processes with the same app key complete all requests despite 429 responses', async () => {
  const one = await service({ latencyMs: 20 })
  const bursts = [burst(one, 100), burst(one, 100)]
  for (const ended of bursts) expect(await ended).toMatchObject({ code: 0, err: '' })
  const stats = one.stats()
  expect(stats.operations['team/infos']).toMatchObject({ 200: 200 })
  expect(stats.requests).toBe(200 + stats.rate_limited)
}, 300_000)

describe('a process that sends requests', () => {
  test('stays alive only while a request is waiting', async () => {
    const script = `
      import { createLimiter } from '${LIMITER}'
      import { realEffects } from '${EFFECTS}'
      const limiter = createLimiter([{ requests: 1, windowMs: 400 }], realEffects())
      for (let count = 1; count <= 3; count++) {
        const permit = await limiter.acquire()
        console.log(count)
        permit.release(true)
      }`
    const { ended } = start(['--input-type=module', '--eval', script], {}, undefined, NODE)
    expect(await ended).toMatchObject({ code: 0, out: '1\n2\n3\n', err: '' })
  })

  test.each([
    { name: 'closed', environment: {} },
    { name: 'left open', environment: { LEAVE_OPEN: '1' } },
  ])(
    'exits in less than a minute if its client was $name',
    async ({ environment }) => {
      const one = await service()
      // The process exits early enough if this test ends within its time limit of 40 s.
      expect(await burst(one, 60, environment)).toMatchObject({ code: 0, err: '', requests: 60 })
    },
    40_000,
  )
})
