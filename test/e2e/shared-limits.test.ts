import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { start } from './cli.ts'

const BURST = fileURLToPath(new URL('./burst.mjs', import.meta.url))

describe('processes with one key', () => {
  let folder: string
  let sandbox: Sandbox | undefined
  const children: ChildProcess[] = []

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'faultline-shared-'))
  })
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    await sandbox?.close()
    rmSync(folder, { recursive: true })
  })

  async function service(options: SandboxOptions = {}): Promise<Sandbox> {
    sandbox = await startSandbox({ incidents: 10, ...options })
    return sandbox
  }

  /** A process that sends so many requests; `ended` gives how many it was told to send less often. */
  function burst({ baseUrl, appKey }: Sandbox, requests: number, quota = 1) {
    const child = spawn(
      process.execPath,
      [BURST, baseUrl, appKey, `${requests}`, `${quota}`, join(folder, 'run')],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    children.push(child)
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    const ended = once(child, 'close').then(([code]) => ({
      code,
      err,
      ...(out === '' ? {} : JSON.parse(out)),
    }))
    return { child, ended }
  }

  function expectKept(one: Sandbox, requests: number) {
    const stats = one.stats()
    expect(stats.requests).toBe(requests)
    return expectNoneTooMany(stats)
  }

  function expectNoneTooMany(stats: ReturnType<Sandbox['stats']>) {
    expect(stats.rate_limited).toBe(0)
    expect(stats.most_in_1s.offered).toBeLessThanOrEqual(50)
    expect(stats.most_in_60s.offered).toBeLessThanOrEqual(1_000)
    return stats
  }

  test.each([
    { processes: 2, limiter: 'sliding' },
    { processes: 4, limiter: 'sliding' },
    { processes: 2, limiter: 'fixed' },
  ] as const)(
    'keep the limits together: $processes of them, $limiter windows',
    async ({ processes, limiter }) => {
      const one = await service({ limiter, latencyMs: 20 })
      const bursts = Array.from({ length: processes }, () => burst(one, 120 / processes))
      for (const { ended } of bursts)
        expect(await ended).toMatchObject({ code: 0, err: '', throttled: 0, requests: 120 / processes })
      expectKept(one, 120)
    },
    60_000,
  )

  test('of one quota keep it together, beside one that may take all', async () => {
    const one = await service()
    const small = [burst(one, 25, 0.4), burst(one, 25, 0.4)]
    await Promise.all(small.map(({ ended }) => ended))
    expect(expectKept(one, 50).most_in_1s.offered).toBeLessThanOrEqual(20)
    await Promise.all([burst(one, 25, 0.4), burst(one, 60)].map(({ ended }) => ended))
    expectKept(one, 135)
  }, 60_000)

  test('one started right after another was killed knows what that one had sent', async () => {
    const one = await service({ latencyMs: 50 })
    for (const least of [60, 120]) {
      const { child, ended } = burst(one, 1_000)
      while (one.stats().requests < least) await new Promise((resolve) => setTimeout(resolve, 5))
      child.kill('SIGKILL')
      await ended
    }
    const sent = one.stats().requests
    expect(await burst(one, 55).ended).toMatchObject({ code: 0, throttled: 0, requests: 55 })
    // What the killed one had written is still read by the service after its end.
    expect(one.stats().requests).toBeGreaterThanOrEqual(sent + 55)
    expectNoneTooMany(one.stats())
  }, 60_000)

  test('are met by whatever the command line starts, and a folder that cannot be used is told of', async () => {
    const one = await service()
    const environment = { FAULTLINE_BASE_URL: one.baseUrl, FAULTLINE_APP_KEY: one.appKey }
    const call = (runtime: string) =>
      start(['call', 'team/infos', '{"team_ids":[1]}'], { ...environment, FAULTLINE_RUNTIME: runtime }).ended
    const others = burst(one, 120)
    while (one.stats().requests < 60) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await call(join(folder, 'run'))).toMatchObject({ code: 0 })
    expect(await others.ended).toMatchObject({ throttled: 0 })
    expectKept(one, 121)
    const alone = await call(join(folder, 'none', 'run'))
    expect(alone.code).toBe(0)
    expect(alone.err).toMatch(/Note: the rate limits are not shared .*ENOENT/)
  }, 60_000)
})
