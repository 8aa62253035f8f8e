import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { run } from '../support/cli.ts'
import { differences, objects, withConnection } from '../support/truth.ts'
import { scratch } from '../support/warehouse.ts'

const data = fileURLToPath(new URL('../../../shared/data/uci498', import.meta.url))
const isThere = existsSync(data)
if (!isThere)
  console.warn(`24,918 real incidents are not at ${data}: the main job on real data is not tested here`)

describe.skipIf(!isThere)('a sync of 24,918 real incidents under the rate limits', () => {
  const folder = scratch()
  const warehouse = join(folder, 'uci498.duckdb')
  const { responder_rows: responders } = isThere
    ? (JSON.parse(readFileSync(join(data, 'expected.json'), 'utf8')) as { responder_rows: number })
    : { responder_rows: 0 }
  let sandbox: Sandbox
  let environment: Record<string, string>

  beforeAll(async () => {
    sandbox = await startSandbox({ dataDir: data, now: Date.parse('2017-03-01T00:00:00Z') / 1_000 })
    environment = {
      FAULTLINE_APP_KEY: sandbox.appKey,
      FAULTLINE_BASE_URL: sandbox.baseUrl,
      FAULTLINE_WAREHOUSE: warehouse,
    }
    const first = await run(['sync', '--since', '2016-02-01', '--json'], environment)
    expect(first.err).not.toContain('error')
    expect(first.code).toBe(0)
  }, 300_000)

  afterAll(async () => {
    await sandbox.close()
  })

  test('stores the same rows as the service', async () => {
    expect(await differences(sandbox.baseUrl, warehouse)).toEqual([])
    const [counts] = await withConnection(warehouse, (connection) =>
      objects(
        connection,
        'select count(*) as incidents, (select count(*) from incident_responders) as responders from incidents',
      ),
    )
    expect(counts).toEqual({ incidents: 24_918n, responders: BigInt(responders) })
  })

  test('never exceeds the rate limits', () => {
    const stats = sandbox.stats()
    expect(stats.rate_limited).toBe(0)
    expect(stats.most_in_1s.offered).toBeLessThanOrEqual(50)
    expect(stats.most_in_60s.offered).toBeLessThanOrEqual(1_000)
  })

  test('changes no rows when repeated', async () => {
    const contents = () =>
      withConnection(warehouse, (connection) =>
        objects(connection, 'select incident_id, _hash, _seen_at, _run_id from incidents order by 1'),
      )
    const before = await contents()
    const second = await run(['sync', '--since', '2016-02-01', '--json'], environment)
    expect(second.code).toBe(0)
    expect(JSON.parse(second.out)).toMatchObject({ status: 'ok', inserted: 0, replaced: 0, vanished: 0 })
    expect(await contents()).toEqual(before)
  }, 300_000)
})
