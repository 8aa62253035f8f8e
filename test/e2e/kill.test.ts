import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { ACCOUNT_ID } from '../../src/sandbox/world/company.ts'
import { run, start } from '../support/cli.ts'
import { sideDoor } from '../support/side-door.ts'
import { differences, objects, withConnection } from '../support/truth.ts'
import { preparedWarehouse, scratch } from '../support/warehouse.ts'

const isLarge = inject('isLarge')

let folder: string
let warehouse: string
let sandbox: Sandbox | undefined

beforeEach(() => {
  folder = scratch()
  warehouse = join(folder, 'warehouse.duckdb')
  preparedWarehouse(warehouse, ACCOUNT_ID)
})

afterEach(async () => {
  await sandbox?.close()
})

async function service(options: SandboxOptions) {
  sandbox = await startSandbox({ now: 1_767_225_600, ...options })
  const environment = {
    FAULTLINE_APP_KEY: sandbox.appKey,
    FAULTLINE_BASE_URL: sandbox.baseUrl,
    FAULTLINE_WAREHOUSE: warehouse,
  }
  const requests = () => sandbox?.stats().operations['incident/list']?.['200'] ?? 0
  return { baseUrl: sandbox.baseUrl, environment, requests }
}

/** Waits until the working files have not changed for two seconds. */
async function nothingIsWritten() {
  const written = () =>
    JSON.stringify(
      readdirSync(`${warehouse}.sync`).map((file) => {
        const { size, mtimeMs } = statSync(join(`${warehouse}.sync`, file))
        return [file, size, mtimeMs]
      }),
    )
  let before = ''
  while (before !== written()) {
    before = written()
    await new Promise((resolve) => setTimeout(resolve, 2_000))
  }
}

describe('a sync that is killed or stopped', () => {
  test('continues in the next run from the last stored batch', async () => {
    const { baseUrl, environment, requests } = await service({ incidents: isLarge ? 20_000 : 6_000 })
    const killed = start(['sync'], environment, folder)
    while (requests() < (isLarge ? 105 : 32)) await new Promise((resolve) => setTimeout(resolve, 5))
    // Makes the service stop responding, so that even a busy machine can store everything that has arrived.
    const faults = (body: string) => sideDoor(baseUrl, 'faults', body)
    await faults('{"slow_ms":100000}')
    await nothingIsWritten()
    killed.process.kill('SIGKILL')
    expect((await killed.ended).signal).toBe('SIGKILL')
    await faults('{}')
    const resumed = await run(['sync', '--json'], environment, folder)
    expect(resumed.err).not.toContain('error')
    expect(JSON.parse(resumed.out)).toMatchObject({ status: 'ok', published: true })
    expect(await differences(baseUrl, warehouse)).toEqual([])
    // Stored pages are counted in the ledger. All other requested pages must have been requested twice.
    const [stored] = await withConnection(warehouse, (connection) =>
      objects(
        connection,
        "select sum(requests)::int as pages from sync_windows where resource = 'incidents'",
      ),
    )
    const pages = stored?.pages as number
    expect(pages).toBeGreaterThanOrEqual(isLarge ? 200 : 60)
    expect(requests() - pages).toBeLessThanOrEqual(pages / 10)
    // The resumed run must count the requests of the killed run towards the rate limits.
    expect(sandbox?.stats().rate_limited).toBe(0)
  }, 300_000)

  test.each(isLarge ? (['SIGTERM', 'SIGHUP'] as const) : (['SIGTERM'] as const))(
    'exits with status 1 after %s and publishes nothing',
    async (signal) => {
      const { baseUrl, environment, requests } = await service({ incidents: 1_500 })
      const stopped = start(['sync'], environment, folder)
      while (requests() < 12) await new Promise((resolve) => setTimeout(resolve, 5))
      stopped.process.kill(signal)
      const end = await stopped.ended
      expect(end.code).toBe(1)
      expect(end.err).toContain('Stopped.')
      expect(end.err).not.toMatch(/^\s+at /m)
      const status = await run(['status'], environment, folder)
      expect(status.err).toContain('No warehouse found')
      expect(status.out).toMatch(/^incidents +[1-9]\d* .* [1-9]\d*$/m)
      expect(status.out).toMatch(/^ *1 .* (failed|interrupted) /m)
      expect((await run(['sync'], environment, folder)).code).toBe(0)
      expect(await differences(baseUrl, warehouse)).toEqual([])
    },
    300_000,
  )
})
