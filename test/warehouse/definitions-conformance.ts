import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import { definitionsKey } from '../../src/definitions/custom-definitions-sql.ts'
import { resources } from '../../src/resources/index.ts'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import type { WarehouseLocation } from '../../src/settings/warehouse-location.ts'
import { openReader, openWarehouse, type Reader } from '../support/storage.ts'
import { scratch } from '../support/warehouse.ts'

const configured = (reporting: object) =>
  settingsOf(readConfig(JSON.stringify({ reporting }), 'c.json').data.reporting)

async function seenBy(reader: Reader) {
  const column = async (sql: string) => (await reader.query(sql)).rows.map(([value]) => value)
  return {
    titles: await column('select title from incident_times order by all'),
    dimensions: await column(
      'select distinct unnest(map_values(dimensions)) from incident_times order by all',
    ),
    minutes: await column('select seconds / 60 from incident_measures where seconds is not null'),
    titled: await column('select title from titled order by all').catch(() => 'no such view'),
    key: await definitionsKey(reader),
  }
}

/** Behavior of definitions in every `Published`. @param fresh a place without a published warehouse */
export function definitions(fresh: (name: string) => WarehouseLocation): void {
  const folder = scratch()
  writeFileSync(join(folder, 'titled.sql'), '-- Titles.\nselect title from incident_times')
  const first = {
    ...configured({
      exclude: [{ name: 'tests', where: "title = 'a'" }],
      dimensions: { service: 'label.service' },
    }),
    sql: { folder, isPublished: false },
  }
  const second = configured({
    exclude: [{ name: 'staging', where: "label.env = 'staging'" }],
    dimensions: { place: 'label.env' },
    measures: { mitigate: { from: 'start_time', to: 'fields.mitigated_at', title: 'Mitigate' } },
  })

  async function publishWith(place: WarehouseLocation, settings: Settings): Promise<void> {
    const warehouse = await openWarehouse(place, resources, { accountId: 1n, settings })
    await sql`delete from incidents`.execute(warehouse.db)
    const start_time = new Date(Date.UTC(2026, 2, 1, 8))
    const rows = [
      { title: 'a', env: 'prod', service: 'cart', mitigated_at: '2026-03-01T08:10:00Z' },
      { title: 'b', env: 'staging', service: 'checkout', mitigated_at: '' },
    ].map(({ title, env, service, mitigated_at }) => ({
      ...{ account_id: 1n, incident_id: title, title, start_time, progress: 'Triggered' },
      ...{ labels: JSON.stringify({ env, service }), fields: JSON.stringify({ mitigated_at }) },
    }))
    await warehouse.db.insertInto('incidents').values(rows).execute()
    await warehouse.publish()
  }

  test('each reader uses the definitions of its own configuration, whichever definitions were published', async () => {
    const place = fresh('definitions')
    const keys = new Set<string | null>()
    for (const published of [first, second]) {
      await publishWith(place, published)
      const readers = await Promise.all(
        [first, second, defaultSettings].map((settings) => openReader(place, { settings })),
      )
      const [one, other, none] = await Promise.all(readers.map(seenBy))
      const metric = (await readers[0]!.query('from metric_acknowledgement order by all')).rows
      expect(metric).toEqual((await readers[0]!.query('from acknowledgement() order by all')).rows)
      for (const reader of readers) reader.close()
      expect(metric.length).toBeGreaterThan(0)
      expect(one).toMatchObject({ titles: ['b'], dimensions: ['checkout'], minutes: [], titled: ['b'] })
      expect(other).toMatchObject({ titles: ['a'], dimensions: ['prod'], minutes: [10] })
      expect(none).toMatchObject({ titles: ['a', 'b'], dimensions: [], minutes: [], key: null })
      expect([other!.titled, none!.titled]).toEqual(['no such view', 'no such view'])
      for (const { key } of [one!, other!]) keys.add(key)
    }
    expect(keys.size).toBe(2)
  })
}
