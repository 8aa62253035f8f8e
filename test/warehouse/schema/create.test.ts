import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { resources } from '../../../src/resources/index.ts'
import { defaultSettings } from '../../../src/settings/settings.ts'
import type { Warehouse } from '../../../src/warehouse/warehouse.ts'
import { ownFolder } from '../../support/folder.ts'
import { openWarehouse } from '../../support/storage.ts'

const folder = ownFolder()

/** Opens the working file, calls `act`, and returns the bytes of the closed file. */
async function opened(settings = defaultSettings, act?: (warehouse: Warehouse) => Promise<unknown>) {
  const path = join(folder, 'faultline.duckdb')
  const warehouse = await openWarehouse(path, resources, { accountId: 1n, settings })
  try {
    await act?.(warehouse)
    await warehouse.finish()
  } finally {
    await warehouse.close()
  }
  return readFileSync(warehouse.files.working)
}

test('opening a warehouse file with current definitions and settings does not write to the file', async () => {
  const made = await opened()
  const again = await openWarehouse(join(folder, 'faultline.duckdb'), resources, {
    accountId: 1n,
    settings: defaultSettings,
  })
  await again.close()
  expect(readFileSync(again.files.working).equals(made)).toBe(true)
  const policies = defaultSettings.policies.map((each) => ({ ...each, value: `${each.value}!` }))
  const values = (warehouse: Warehouse) =>
    sql<{ value: string }>`select distinct right(value, 1) as value from config_policies`.execute(
      warehouse.db,
    )
  await opened({ ...defaultSettings, policies }, async (warehouse) =>
    expect((await values(warehouse)).rows).toEqual([{ value: '!' }]),
  )
})

test('opening a warehouse file creates all views again if the stored definitions differ', async () => {
  for (const stamp of [null, 'of another program']) {
    await opened(defaultSettings, async ({ db }) => {
      await sql`drop view runs`.execute(db)
      await sql`update faultline_meta set value = ${stamp} where key = 'definitions'`.execute(db)
    })
    await opened(defaultSettings, ({ db }) => sql`select count(*) from runs`.execute(db))
  }
})
