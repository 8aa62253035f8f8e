import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { openWarehouse } from '../../src/warehouse/warehouse.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-end-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a process that exits while DuckDB asks for the rows of a batch ends, and leaves what was stored', async () => {
  const path = join(folder, 'faultline.duckdb')
  const built = new URL('../../dist/', import.meta.url)
  if (!existsSync(new URL('warehouse/warehouse.js', built)))
    throw new Error('dist/ is missing: npm run build')
  const program = `
    const { DuckDBDataChunk } = await import('@duckdb/node-api')
    const { openWarehouse } = await import('${built}warehouse/warehouse.js')
    const { createStage } = await import('${built}warehouse/stage/stage.js')
    const { resources } = await import('${built}resources/index.js')
    const warehouse = await openWarehouse(${JSON.stringify(path)}, resources)
    const store = (incident_id) => {
      const stage = createStage(resources.find((resource) => resource.table === 'incidents'))
      stage.add([{ incident_id }])
      return warehouse.db.transaction().execute(() => warehouse.upsert(stage, { runId: 1, accountId: 1n, seenAt: 0 }))
    }
    await store('first')
    // Set for every answer to DuckDB: it waits for this one.
    Object.defineProperty(DuckDBDataChunk.prototype, 'rowCount', { set: () => process.exit(3) })
    await store('second')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    stdio: 'ignore',
  })
  let hangs = false
  const patience = setTimeout(() => {
    hangs = true
    child.kill('SIGKILL')
  }, 10_000)
  await once(child, 'exit')
  clearTimeout(patience)
  expect(hangs).toBe(false)
  const warehouse = await openWarehouse(path, resources)
  const stored = await warehouse.db.selectFrom('incidents').select('incident_id').execute()
  await warehouse.close()
  expect(stored).toEqual([{ incident_id: 'first' }])
})
