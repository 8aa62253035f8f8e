import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { hasLake, type Postgres, startPostgres } from '../support/lake.ts'
import { openReader, openWarehouse } from '../support/storage.ts'

describe.runIf(hasLake)('a lake', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  }, 300_000)
  afterAll(() => postgres?.stop())

  test('has the views of metrics for its readers, although it does not store them', async () => {
    const lake = postgres.lake('metrics')
    const warehouse = await openWarehouse(lake, resources, { accountId: 1n })
    const start_time = new Date(Date.UTC(2026, 1, 1))
    await warehouse.db
      .insertInto('incidents')
      .values({ account_id: 1n, incident_id: 'a', incident_severity: 'Info', start_time })
      .execute()
    await warehouse.publish()
    const reader = await openReader(lake, { settings: defaultSettings })
    try {
      const { rows } = await reader.query('from metric_acknowledgement order by all')
      expect(rows).toEqual((await reader.query('from acknowledgement() order by all')).rows)
      expect(rows.length).toBeGreaterThan(0)
    } finally {
      reader.close()
    }
  }, 300_000)
})
