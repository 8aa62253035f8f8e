import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCheck } from '../../src/cli/check/run-check.ts'
import { resources } from '../../src/resources/index.ts'
import { run } from '../support/cli.ts'
import { listening } from '../support/console.ts'
import { openWarehouse } from '../support/storage.ts'
import { scratch } from '../support/warehouse.ts'

const folder = scratch()
const warehouse = join(folder, 'faultline.duckdb')

async function publishTwice() {
  for (let time = 0; time < 2; time++)
    await (await openWarehouse(warehouse, resources, { accountId: 1n })).publish()
}

async function checkDeep() {
  const context = listening({ warehouse })
  const status = await runCheck(context, { deep: true })
  return { status, text: context.results.join('\n') }
}

test('`faultline restore` replaces a damaged warehouse with its previous copy', async () => {
  await publishTwice()
  const well = await checkDeep()
  expect(well.status).toBe(0)
  expect(well.text.match(/^ok .*every block was read/gm)).toHaveLength(3)
  const backup = join(folder, 'backup.duckdb')
  cpSync(warehouse, backup)
  const bytes = readFileSync(warehouse)
  bytes[Math.floor(bytes.length * 0.4)]! ^= 1
  bytes[100]! ^= 1
  writeFileSync(warehouse, bytes)
  const damaged = await checkDeep()
  expect(damaged.status).toBe(1)
  expect(damaged.text).toMatch(/FAIL {2}published copy .*is damaged/)
  expect(damaged.text).toContain('faultline restore')
  const restored = await run(['restore', '--warehouse', warehouse])
  expect(restored.code).toBe(0)
  expect(restored.out).toMatch(/former\.duckdb, never completely synced/)
  expect((await checkDeep()).text).toMatch(/^ok {4}published copy/m)
  expect(await run(['restore', backup, '--warehouse', warehouse, '--json'])).toMatchObject({ code: 0 })
})
