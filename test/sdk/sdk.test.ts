import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  ConfigError,
  createSandbox,
  openWarehouse,
  type ReportOptions,
  runReport,
  type SyncOptions,
  sync,
  WarehouseError,
} from '../../src/sdk/index.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

/** A query that DuckDB never ends. */
const ENDLESS = 'with recursive r(i) as (select 1 union all select i + 1 from r) select count(*) as n from r'

let warehouse: string
const folder = mkdtempSync(join(tmpdir(), 'faultline-sdk-'))
const endless = join(folder, 'endless.md')
beforeAll(async () => {
  warehouse = await warehouseFile(settleCompany)
  writeFileSync(endless, `---\ntitle: T\n---\n\`\`\`sql q\n${ENDLESS}\n\`\`\`\n{{ q.n | number }}\n`)
})

const refusal = (act: () => Promise<unknown>) =>
  act().then(
    () => undefined,
    (error: unknown) => error,
  )

describe('openWarehouse', () => {
  test('releases its listeners and temporary files when closed', async () => {
    vi.stubEnv('TMPDIR', folder)
    try {
      const listeners = process.listenerCount('exit')
      for (let time = 0; time < 15; time++) {
        const one = await openWarehouse(warehouse)
        expect(await one.query('select 1 as n')).toEqual([{ n: 1 }])
        if (time % 3 === 0) await one.db.selectFrom('incidents').select('title').limit(1).execute()
        await one.close()
        await one.close()
      }
      expect(process.listenerCount('exit') - listeners).toBeLessThanOrEqual(1)
      expect(readdirSync(folder).filter((name) => name.startsWith('faultline-spill'))).toEqual([])
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('stops a query when the signal aborts or the time limit expires', async () => {
    const one = await openWarehouse(warehouse)
    const reason = new Error('enough')
    const stop = new AbortController()
    const stopped = refusal(() => one.query(ENDLESS, {}, { signal: stop.signal }))
    setTimeout(() => stop.abort(reason), 100)
    expect(await stopped).toBe(reason)
    const late = await refusal(() => one.query(ENDLESS, {}, { timeout: 100, signal: undefined }))
    expect(late).toBeInstanceOf(WarehouseError)
    expect(late).toMatchObject({ message: 'It did not end within 100 ms.', next: expect.any(String) })
    expect(await one.query('select 1 as n', {}, { timeout: 300_000 })).toEqual([{ n: 1 }])
    const long = 'select count(*)::int as n from range(20000000) t(i) where hash(i) = 1'
    expect(await one.query(long, {}, { timeout: Number.POSITIVE_INFINITY })).toEqual([{ n: 0 }])
    expect(await refusal(() => one.query('select 1', {}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    await one.close()
  })

  test('throws errors that state the next step', async () => {
    expect(await refusal(() => openWarehouse(''))).toMatchObject({
      message: 'openWarehouse: `warehouse` must be a non-empty string.',
      next: 'Received: an empty string.',
    })
    const one = await openWarehouse(warehouse)
    const wrong = await refusal(() => one.query('select titel from incidents'))
    expect(wrong).toBeInstanceOf(WarehouseError)
    expect(wrong).toMatchObject({ next: expect.stringContaining('faultline schema') })
    // @ts-expect-error an unknown option
    const misspelt = await refusal(() => one.query('select 1', {}, { timeOut: 5 }))
    expect(misspelt).toMatchObject({ next: 'Did you mean "timeout"?' })
    await one.close()
    expect(await refusal(() => one.query('select 1'))).toMatchObject({ message: 'The warehouse was closed.' })
    expect(() => one.db).toThrow('The warehouse was closed.')
  })
})

describe('a warehouse opened with a configuration', () => {
  const config = join(folder, 'config.json')
  beforeAll(() => {
    const exclude = [{ name: 'infos', where: "incident_severity = 'Info'", reason: 'nobody is called' }]
    writeFileSync(config, JSON.stringify({ reporting: { exclude } }))
  })

  test('returns the same figures as the command line', async () => {
    const [plain, own] = [await openWarehouse(warehouse), await openWarehouse(warehouse, { config })]
    const counted = 'select count(*)::int as n from incident_times'
    const left = await plain.query(`${counted} where incident_severity <> 'Info'`)
    expect(await own.query(counted)).toEqual(left)
    expect(await own.db.selectFrom('incidents').select('title').execute()).not.toHaveLength(
      Number(left[0]!.n),
    )
    expect(await plain.query(counted)).not.toEqual(left)
    await Promise.all([plain.close(), own.close()])
    const { result } = await runReport({ warehouse, report: 'severity-trend', config })
    expect(result.frame.leftOut).toMatch(/infos/)
  })

  test('is rejected if the configuration file is missing', async () => {
    const none = await refusal(() => openWarehouse(warehouse, { config: join(folder, 'none.json') }))
    expect(none).toBeInstanceOf(ConfigError)
    // @ts-expect-error the location of a lake belongs in the configuration, not in the options
    const former = await refusal(() => openWarehouse(warehouse, { data: 's3://lake/' }))
    expect(former).toMatchObject({ message: 'openWarehouse: unknown option "data".' })
  })
})

describe('runReport', () => {
  test('stops when the signal aborts or the time limit expires', async () => {
    const late = await refusal(() => runReport({ warehouse, report: endless, timeout: 200 }))
    expect(late).toMatchObject({ message: expect.stringMatching(/longer/) })
    const reason = new Error('enough')
    const stop = new AbortController()
    const stopped = refusal(() => runReport({ warehouse, report: endless, signal: stop.signal }))
    setTimeout(() => stop.abort(reason), 200)
    expect(await stopped).toBe(reason)
  })

  test('accepts undefined options and names unknown options in the error', async () => {
    const maybe: AbortSignal | undefined = undefined
    const options: ReportOptions = {
      warehouse,
      report: 'severity-trend',
      signal: maybe,
      timeout: undefined,
      out: undefined,
      lists: false,
      dimensions: {},
    }
    const { files, result } = await runReport(options)
    expect(files).toEqual([])
    expect(result.lists).toBeNull()
    const wrong = { ...options, periode: '4w' }
    const error = await refusal(() => runReport(wrong))
    expect(error).toBeInstanceOf(ConfigError)
    expect(error).toMatchObject({
      message: 'runReport: unknown option "periode".',
      next: 'Did you mean "period"?',
    })
  })
})

test.each([
  [{ since: 'x' }, 'sync: `since` must be a Date.'],
  [{ since: new Date('x') }, 'sync: `since` must be a Date.'],
  [{ sinse: new Date() }, 'sync: unknown option "sinse".'],
  [{ warehouse: '' }, 'sync: `warehouse` must be a non-empty string.'],
  [{ appKey: undefined }, 'sync: `appKey` must be a non-empty string.'],
  [{ resources: 'incidents' }, 'sync: `resources` must be a list of strings.'],
  [{ privacy: { hashes: [] } }, 'sync privacy: unknown option "hashes".'],
  [{ onProgress: true }, 'sync: `onProgress` must be a function.'],
])('sync rejects the invalid option in %j', async (wrong, message) => {
  const signal: AbortSignal | undefined = undefined
  const options: SyncOptions = {
    baseUrl: 'http://127.0.0.1:9',
    appKey: 'a-secret',
    warehouse: 'w.duckdb',
    signal,
  }
  const error = await refusal(() => sync({ ...options, ...wrong } as SyncOptions))
  expect(error).toBeInstanceOf(ConfigError)
  expect(error).toMatchObject({ message, next: expect.not.stringContaining('a-secret') })
})

describe('a sandbox from createSandbox', () => {
  let sandbox: Awaited<ReturnType<typeof createSandbox>>
  beforeAll(async () => {
    sandbox = await createSandbox({ incidents: 100, seed: 3, now: 1_790_000_000, limits: false })
  })
  afterAll(() => sandbox.close())

  test('returns the incidents as of the new time after its clock advances', () => {
    const before = sandbox.truth()
    expect(sandbox.advance(30 * 86_400)).toBe(1_790_000_000 + 30 * 86_400)
    expect(sandbox.now()).toBe(1_790_000_000 + 30 * 86_400)
    expect(sandbox.truth()).not.toEqual(before)
    expect(before[0]!.incident_id).toMatch(/^[0-9a-f]{24}$/)
    for (const seconds of [0.5, Number.NaN, -1e12])
      expect(() => sandbox.advance(seconds)).toThrow(ConfigError)
  })

  test('injects a fault from the moment at which the fault is set', async () => {
    const ask = () =>
      fetch(`${sandbox.baseUrl}/role/permission/list?app_key=${sandbox.appKey}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
    sandbox.setFaults({ status_500: 1 })
    expect((await ask()).status).toBe(500)
    sandbox.setFaults({})
    expect((await ask()).status).toBe(200)
    expect(() => sandbox.setFaults({ status_500: 2 })).toThrow(ConfigError)
    expect(sandbox.audit()).toEqual([])
  })
})
