import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { ACCOUNT_ID } from '../../src/sandbox/world/company.ts'
import { type Ended, run, start } from '../support/cli.ts'
import { sideDoor } from '../support/side-door.ts'
import { differences } from '../support/truth.ts'
import { preparedWarehouse } from '../support/warehouse.ts'

const KEY = 'k/secret+ =é'

const folder = mkdtempSync(join(tmpdir(), 'faultline-failures-'))
const warehouse = join(folder, 'warehouse.duckdb')
let sandbox: Sandbox
let environment: Record<string, string>

beforeAll(async () => {
  sandbox = await startSandbox({ incidents: 200, limits: false, now: 1_767_225_600 })
  environment = {
    FAULTLINE_APP_KEY: sandbox.appKey,
    FAULTLINE_BASE_URL: sandbox.baseUrl,
    FAULTLINE_WAREHOUSE: warehouse,
  }
  preparedWarehouse(warehouse, ACCOUNT_ID)
  expect((await run(['sync'], environment, folder)).code).toBe(0)
}, 300_000)

afterAll(async () => {
  await sandbox.close()
  rmSync(folder, { recursive: true })
})

const digest = () => createHash('sha256').update(readFileSync(warehouse)).digest('hex')

/** One message on standard error, nothing on standard output, no stack, no key, and the same file as before. */
async function fails(end: Promise<Ended>, code: number, message: RegExp) {
  const before = digest()
  const { out, err, code: status } = await end
  const told = err.split('\n').filter((line) => !line.startsWith('{"event":"progress"'))
  expect(told.join('\n')).toMatch(message)
  expect(told.filter((line) => line.startsWith('error:'))).toHaveLength(1)
  expect(status).toBe(code)
  expect(out).toBe('')
  expect(err).not.toMatch(/^\s+at /m)
  for (const key of [
    sandbox.appKey,
    KEY,
    encodeURIComponent(KEY),
    new URLSearchParams({ a: KEY }).toString().slice(2),
  ]) {
    expect(err).not.toContain(key)
  }
  expect(digest()).toBe(before)
}

async function withFaults(faults: Record<string, number>, act: () => Promise<void>) {
  const set = (body: object) => sideDoor(sandbox.baseUrl, 'faults', body)
  await set(faults)
  try {
    await act()
  } finally {
    await set({})
  }
}

describe('what goes wrong ends with one clear message and the warehouse as it was', () => {
  test('a wrong key', async () => {
    await fails(
      run(['sync'], { ...environment, FAULTLINE_APP_KEY: KEY }, folder),
      1,
      /Unauthorized|unauthorized/,
    )
  })

  test('no key', async () => {
    const { FAULTLINE_APP_KEY: _, ...without } = environment
    await fails(run(['sync'], without, folder), 2, /app key is missing[\s\S]*FAULTLINE_APP_KEY/)
  })

  test('an unreachable service', async () => {
    const nowhere = { ...environment, FAULTLINE_APP_KEY: KEY, FAULTLINE_BASE_URL: 'http://127.0.0.1:9' }
    await fails(run(['sync'], nowhere, folder), 1, /not reached[\s\S]*baseUrl/)
  }, 300_000)

  test('a window of more than 31 days, in the configuration', async () => {
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ sync: { windowDays: 40 } }))
    await fails(run(['sync'], environment, folder), 2, /sync\.windowDays: the service allows at most 31 days/)
    rmSync(join(folder, 'config.json'))
  })

  test('a window of more than 31 days, in a call', async () => {
    const input = JSON.stringify({ start_time: 0, end_time: 32 * 86_400 })
    await fails(run(['call', 'incident/list', input], environment, folder), 2, /end_time.*31 days/)
  })

  test('a configuration with a typo', async () => {
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ wharehouse: 'x.duckdb' }))
    await fails(
      run(['sync'], environment, folder),
      2,
      /Unknown key "wharehouse"[\s\S]*Did you mean "warehouse"\?/,
    )
    rmSync(join(folder, 'config.json'))
  })

  test('an unknown command, flag or resource', async () => {
    const unknown = await run(['snyc'], environment, folder)
    expect(unknown.code).toBe(2)
    expect(unknown.err).toMatch(/unknown command 'snyc'[\s\S]*Did you mean sync/)
    await fails(
      run(['sync', 'incident'], environment, folder),
      2,
      /no resource "incident"[\s\S]*Did you mean "incidents"/,
    )
  })

  test('a stretch of time that ends before it begins, or lies ahead', async () => {
    const nothing = /time range is empty[\s\S]*--since/
    const backwards = ['sync', '--since', '2025-12-01', '--until', '2025-11-01']
    await fails(run(backwards, environment, folder), 2, nothing)
    await fails(run(['sync', '--since', '2027-01-01'], environment, folder), 2, nothing)
  })
})

describe('so does what stands in the way', () => {
  test('a second sync while one runs', async () => {
    const lists = () => sandbox.stats().operations['incident/list']?.['200'] ?? 0
    const before = lists()
    await withFaults({ slow_ms: 100 }, async () => {
      const first = start(['sync', '--full'], environment, folder)
      await until(() => lists() > before)
      await fails(
        run(['sync'], environment, folder),
        1,
        new RegExp(`Another sync is writing .* \\(process ${first.process.pid}, since .*\\)`),
      )
      expect((await first.ended).code).toBe(0)
    })
  }, 300_000)

  test('a folder that does not exist, and a path that is a folder', async () => {
    const elsewhere = (path: string) => ({ ...environment, FAULTLINE_WAREHOUSE: path })
    await fails(run(['sync'], elsewhere(join(folder, 'no/such/x.duckdb')), folder), 1, /no folder/)
    await fails(
      run(['sync'], elsewhere('/proc/faultline.duckdb'), folder),
      1,
      /cannot be written|cannot be opened/,
    )
  })

  test.skipIf(process.getuid?.() === 0)('a folder that may not be written', async () => {
    const locked = mkdtempSync(join(tmpdir(), 'faultline-locked-'))
    chmodSync(locked, 0o500)
    const there = { ...environment, FAULTLINE_WAREHOUSE: join(locked, 'x.duckdb') }
    await fails(run(['sync'], there, folder), 1, /cannot be written/)
    chmodSync(locked, 0o700)
    rmSync(locked, { recursive: true })
  })

  test('a report on no warehouse', async () => {
    const nothing = { ...environment, FAULTLINE_WAREHOUSE: join(folder, 'none.duckdb') }
    for (const command of [['report'], ['status']]) {
      await fails(run(command, nothing, folder), 1, /There is no warehouse at[\s\S]*faultline sync/)
    }
  })

  // reader.test.ts tries all that it could reach.
  test('SQL that writes', async () => {
    await fails(run(['sql', 'drop table incidents'], environment, folder), 1, /Only statements that read/)
  })

  test('words of the service that a terminal would obey', async () => {
    const evil = createServer((_, response) => {
      response.statusCode = 400
      const error = { code: 'InvalidParameter', message: '\u001b]0;title\u0007\u001b[2Jno\u009b31m' }
      response.end(JSON.stringify({ request_id: 'r\u001b[1m', error }))
    })
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
    const { port } = evil.address() as AddressInfo
    const there = { ...environment, FAULTLINE_BASE_URL: `http://127.0.0.1:${port}` }
    for (const command of [['sync'], ['call', 'member/list', '{}']]) {
      const { err } = await run(command, there, folder)
      expect(err).toContain('InvalidParameter: no')
      expect(err).not.toMatch(/[\u001b\u009b\u0007]/)
    }
    evil.close()
  })

  test('a sync that failed is not hidden behind the published one', async () => {
    expect((await run(['status'], environment, folder)).code).toBe(0)
    await withFaults({ slow_ms: 300 }, async () => {
      const stopped = start(['sync', '--full'], environment, folder)
      const { requests } = sandbox.stats()
      await until(() => sandbox.stats().requests > requests + 3)
      stopped.process.kill('SIGTERM')
      expect((await stopped.ended).code).toBe(1)
    })
    const status = await run(['status', '--json'], environment, folder)
    expect(status.code).toBe(1)
    expect(JSON.parse(status.out).runs[0]).toMatchObject({ status: 'failed', as_of_at: null })
  }, 300_000)

  test('a query that is stopped ends at once', async () => {
    const query = start(['sql', 'select sum(hash(range)) from range(1000000000000)'], environment, folder)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    query.process.kill('SIGTERM')
    const { code, signal, out } = await query.ended
    // On a busy machine it may not listen yet.
    expect([code ?? signal, out]).toEqual([signal ?? 1, ''])
  }, 10_000)

  test('the key is in no file', () => {
    for (const file of readdirSync(folder)) {
      if (statSync(join(folder, file)).isFile()) {
        expect(readFileSync(join(folder, file)).includes(sandbox.appKey), file).toBe(false)
      }
    }
  })

  test('and after all that, the next sync is right', async () => {
    expect((await run(['sync'], environment, folder)).code).toBe(0)
    expect(await differences(sandbox.baseUrl, warehouse)).toEqual([])
  })
})

test('a page of a wrong shape costs only itself: the sync is published, and says what did not fit', async () => {
  await withFaults({ wrong_shape: 1 }, async () => {
    const { code, out } = await run(['sync'], environment, folder)
    expect(code).toBe(1)
    expect(out).toMatch(/records were quarantined/)
    expect(out).toMatch(/^Warehouse: .*, as of /m)
  })
})

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 10) {
    if (waited > 20_000) throw new Error('it did not happen within 20 s')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
