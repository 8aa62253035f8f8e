import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { ACCOUNT_ID } from '../../src/sandbox/world/company.ts'
import { run } from '../support/cli.ts'
import { sideDoor } from '../support/side-door.ts'
import { preparedWarehouse } from '../support/warehouse.ts'
import { readSight, sightOf, startAnalyst } from './analyst.ts'

test('an analyst can always read during syncs, and only ever sees complete runs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-analyst-'))
  const warehouse = join(folder, 'warehouse.duckdb')
  const sandbox = await startSandbox({ incidents: 800, limits: false, now: 1_767_225_600 })
  onTestFinished(async () => {
    await sandbox.close()
    rmSync(folder, { recursive: true })
  })
  const environment = {
    FAULTLINE_APP_KEY: sandbox.appKey,
    FAULTLINE_BASE_URL: sandbox.baseUrl,
    FAULTLINE_WAREHOUSE: warehouse,
  }
  preparedWarehouse(warehouse, ACCOUNT_ID)
  const analyst = await startAnalyst(warehouse, 50)
  const whole: string[] = []
  for (let night = 0; night < 4; night++) {
    const { code, err } = await run(['sync', '--since', '90d'], environment, folder)
    expect([code, err]).toEqual([0, expect.not.stringContaining('error')])
    whole.push(await sightOf(warehouse))
    const body = JSON.stringify({ advance_s: 86_400 })
    await sideDoor(sandbox.baseUrl, 'clock', body)
  }
  // A run that fails midway does not change what readers see.
  const faults = (body: string) => sideDoor(sandbox.baseUrl, 'faults', body)
  await faults('{"wrong_payload":0.5}')
  expect((await run(['sync', '--since', '90d', 'incidents'], environment, folder)).code).toBe(1)
  const { looks, sights, errors } = await analyst.stop()
  expect(errors).toEqual([])
  // The analyst may miss a brief state, but here each one lasted for a whole sync.
  expect(sights).toEqual(whole)
  expect(new Set(whole).size).toBe(4)
  expect(whole.map((sight) => readSight(sight).run)).toEqual([1, 2, 3, 4])
  expect(looks).toBeGreaterThan(20)
}, 240_000)
