import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { hasLake, type Postgres, startPostgres } from '../support/lake.ts'
import { openReader, openWarehouse } from '../support/storage.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

describe.runIf(hasLake)('custom SQL in a lake', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.stop())

  test('exists only for readers who configure its folder, whether it is published or not', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'own-'))
    writeFileSync(
      join(folder, 'titled.sql'),
      '-- Incidents with a title.\nselect title from incident_times where title <> p90_of_none()',
    )
    writeFileSync(
      join(folder, 'p90-of-none.sql'),
      "-- Nothing.\ncreate or replace macro p90_of_none() as (select coalesce(p90(age_s)::varchar, '') from open_incidents)",
    )
    const lake = postgres.lake('own')
    const settings = { ...defaultSettings, sql: { folder, isPublished: true } }
    const warehouse = await openWarehouse(lake, resources, { accountId: 1n, settings })
    await warehouse.db
      .insertInto('incidents')
      .values({ account_id: 1n, incident_id: 'a', title: 'T' })
      .execute()
    await warehouse.publish()
    for (const isPublished of [true, false]) {
      const reader = await openReader(lake, { settings: { ...settings, sql: { folder, isPublished } } })
      expect((await reader.query('from titled')).rows).toEqual([['T']])
      expect((await reader.query('select 1 as one')).rows).toEqual([[1]])
      expect((await reader.query('describe titled')).rows).toHaveLength(1)
      reader.close()
    }
    const other = await openReader(lake, { settings: defaultSettings })
    await expect(other.query('from titled')).rejects.toThrow(/titled/)
    other.close()
  })
})
