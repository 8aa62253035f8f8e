import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { run } from '../support/cli.ts'
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts'

const BURST = fileURLToPath(new URL('./burst.mjs', import.meta.url))
const LIMITER = new URL('../../dist/client/limiter.js', import.meta.url).href
const EFFECTS = new URL('../../dist/effects.js', import.meta.url).href

let sandbox: Sandbox | undefined
let redis: RedisServer | undefined
const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await sandbox?.close()
  await redis?.stop()
  redis = undefined
})

async function service(options: SandboxOptions = {}): Promise<Sandbox> {
  sandbox = await startSandbox({ incidents: 10, ...options })
  return sandbox
}

/** A process of its own; `ended` gives its exit status, and what it printed. */
function start(args: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', ...environment },
  })
  children.push(child)
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  return { child, ended: once(child, 'close').then(([code]) => ({ code, out, err })) }
}

interface BurstOptions {
  quota?: number
  redis?: RedisServer | undefined
  environment?: Record<string, string>
}

/** A process that sends so many requests; `ended` gives its client's counts. */
function burst({ baseUrl, appKey }: Sandbox, requests: number, options: BurstOptions = {}) {
  const { quota = 1, redis: server, environment } = options
  const args = [BURST, baseUrl, appKey, `${requests}`, `${quota}`, ...(server ? [server.url] : [])]
  const { child, ended } = start(args, environment)
  return {
    child,
    ended: ended.then(({ code, out, err }) => ({ code, err, ...(out === '' ? {} : JSON.parse(out)) })),
  }
}

describe.skipIf(!hasRedis)('processes with one key that share the limits through Redis', () => {
  test.each([
    { processes: 2, limiter: 'sliding' },
    { processes: 3, limiter: 'fixed' },
  ] as const)(
    'are never refused: $processes of them, $limiter windows',
    async ({ processes, limiter }) => {
      const one = await service({ limiter, latencyMs: 20 })
      redis = await startRedis()
      const each = 150 / processes
      const bursts = Array.from({ length: processes }, () => burst(one, each, { redis }))
      for (const { ended } of bursts)
        expect(await ended).toMatchObject({ code: 0, err: '', throttled: 0, requests: each })
      const stats = one.stats()
      expect(stats).toMatchObject({ requests: 150, rate_limited: 0 })
      expect(stats.most_in_1s.offered).toBeLessThanOrEqual(50)
      expect(stats.most_in_60s.offered).toBeLessThanOrEqual(1_000)
    },
    300_000,
  )

  test('and of which one is killed take nothing with them', async () => {
    const one = await service({ latencyMs: 50 })
    redis = await startRedis()
    const { child, ended } = burst(one, 1_000, { redis })
    while (one.stats().requests < 30) await new Promise((resolve) => setTimeout(resolve, 5))
    child.kill('SIGKILL')
    await ended
    expect(await burst(one, 30, { redis }).ended).toMatchObject({ code: 0, throttled: 0, requests: 30 })
    expect(one.stats().rate_limited).toBe(0)
  }, 300_000)

  test('are configured in a file or the environment, and no password is printed', async () => {
    const one = await service()
    redis = await startRedis({ password: 'top-secret-word' })
    const folder = mkdtempSync(join(tmpdir(), 'faultline-redis-'))
    try {
      const environment = { FAULTLINE_APP_KEY: one.appKey, FAULTLINE_CONFIG: join(folder, 'config.json') }
      const call = (limits: object, more: Record<string, string> = {}) => {
        writeFileSync(join(folder, 'config.json'), JSON.stringify({ baseUrl: one.baseUrl, limits }))
        return run(['call', 'team/infos', '{"team_ids":[1]}'], { ...environment, ...more })
      }
      writeFileSync(join(folder, 'redis'), `${redis.url}\n`)
      expect(await call({ redis: redis.url })).toMatchObject({ code: 0 })
      expect(await call({ redisFile: './redis' })).toMatchObject({ code: 0 })
      const wrong = redis.url.replace('top-secret-word', 'a-wrong-password')
      const refused = await call({ redisFile: './redis' }, { FAULTLINE_REDIS_URL: wrong })
      expect(refused.code).toBe(1)
      expect(refused.err).toContain(`Redis at 127.0.0.1:${redis.port}`)
      expect(refused.err).toContain('limits.redis')
      expect(refused.out + refused.err).not.toContain('a-wrong-password')
    } finally {
      rmSync(folder, { recursive: true })
    }
  }, 300_000)
})

test('processes with one key and without Redis wait for the 429s they meet, and lose nothing', async () => {
  const one = await service({ latencyMs: 20 })
  const bursts = [burst(one, 100), burst(one, 100)]
  for (const { ended } of bursts) expect(await ended).toMatchObject({ code: 0, err: '' })
  const stats = one.stats()
  expect(stats.operations['team/infos']).toMatchObject({ 200: 200 })
  expect(stats.requests).toBe(200 + stats.rate_limited)
}, 300_000)

describe('a process', () => {
  test('does not end while somebody waits for a permit, and nothing else holds it', async () => {
    const script = `
      import { createLimiter } from '${LIMITER}'
      import { realEffects } from '${EFFECTS}'
      const limiter = createLimiter({ kind: 'inProcess', limits: [{ requests: 1, windowMs: 400 }] }, realEffects())
      for (let count = 1; count <= 3; count++) {
        const permit = await limiter.acquire()
        console.log(count)
        permit.release(true)
      }`
    const { ended } = start(['--input-type=module', '--eval', script])
    expect(await ended).toEqual({ code: 0, out: '1\n2\n3\n', err: '' })
  })

  test.each([
    { name: 'closed', environment: {} },
    { name: 'left open', environment: { LEAVE_OPEN: '1' } },
  ])(
    'whose client was $name does not stay for the tokens that come back in a minute',
    async ({ environment }) => {
      const one = await service()
      // The time-out of this test is below a minute.
      expect(await burst(one, 60, { environment }).ended).toMatchObject({ code: 0, err: '', requests: 60 })
    },
    40_000,
  )
})
