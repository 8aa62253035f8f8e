import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import { definitionsKey } from '../../src/definitions/custom-definitions-sql.ts'
import { resources } from '../../src/resources/index.ts'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import type { Warehouse } from '../../src/warehouse/warehouse.ts'
import { hasLake, type Postgres, startPostgres } from '../support/lake.ts'
import { openReader, openWarehouse } from '../support/storage.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const configured = (reporting: object) =>
  settingsOf(readConfig(JSON.stringify({ reporting }), 'c.json').data.reporting)

const exclude = [{ name: 'tests', where: "channel_name = 'Soaking'" }]
const first = configured({
  exclude,
  dimensions: { service: 'label.service' },
  automation: { members: ['Bot'] },
})
const second = configured({
  exclude: [{ name: 'staging', where: "label.env = 'staging'" }],
  dimensions: { place: 'label.env' },
  measures: { mitigate: { from: 'start_time', to: 'fields.mitigated_at', title: 'Mitigate' } },
})

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 8, minute))

/** Four incidents, one of a test, one of staging and two others. The bot and a person had the last one. */
async function fill({ db }: Warehouse) {
  const rows = [
    { channel_name: 'Soaking', labels: { env: 'prod', service: 'cart' }, fields: {} },
    { channel_name: 'Live', labels: { env: 'staging', service: 'cart' }, fields: {} },
    { channel_name: 'Live', labels: { env: 'prod', service: 'checkout' }, fields: {} },
    {
      channel_name: 'Live',
      labels: { env: 'prod', service: 'checkout' },
      fields: { mitigated_at: at(10).toISOString() },
    },
  ]
  const incidents = rows.map(({ labels, fields, ...row }, place) => ({
    ...{ account_id: 1n, incident_id: `i${place}`, channel_id: 1n, start_time: at(0), ...row },
    ...{ progress: 'Triggered', labels: JSON.stringify(labels), fields: JSON.stringify(fields) },
  }))
  await db.insertInto('incidents').values(incidents).execute()
  await db
    .insertInto('members')
    .values([
      { account_id: 1n, member_id: 8n, member_name: 'Bot' },
      { account_id: 1n, member_id: 9n, member_name: 'Ann' },
    ])
    .execute()
  await db
    .insertInto('incident_responders')
    .values(
      [8n, 9n].map((person_id, place) => ({
        ...{ account_id: 1n, incident_id: 'i3', ordinal: BigInt(place), person_id },
        assigned_at: at(place),
      })),
    )
    .execute()
}

/** The result of a reader's custom definitions. */
async function seen(reader: Reader) {
  const column = async (sql: string) => (await reader.query(sql)).rows.map(([value]) => value)
  return {
    incidents: await column('select incident_id from incident_times order by all'),
    dimensions: await column(
      'select distinct unnest(map_values(dimensions)) from incident_times order by all',
    ),
    minutes: await column('select seconds / 60 from incident_measures where seconds is not null'),
    people: await column('select unnest(people) from incident_holders() order by all'),
    definitions: await definitionsKey(reader),
  }
}

describe.runIf(hasLake)('custom definitions in a lake', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.stop())

  test('follow each configuration at the same time, whichever was published', async () => {
    const lake = postgres.lake('words')
    const open = (settings: Settings, machine = lake) => openReader(machine, { settings })
    const known: (string | null)[] = []
    for (const published of [first, second]) {
      const warehouse = await openWarehouse(lake, resources, { accountId: 1n, settings: published })
      if (published === first) await fill(warehouse)
      await warehouse.publish()
      const readers = await Promise.all([
        open(first),
        open(second, postgres.lake('words')),
        open(defaultSettings),
      ])
      const [one, other, none] = await Promise.all(readers.map(seen))
      for (const reader of readers) reader.close()
      const { definitions: ofFirst, ...wordsOfFirst } = one!
      const { definitions: ofSecond, ...wordsOfSecond } = other!
      expect(wordsOfFirst).toEqual({
        incidents: ['i1', 'i2', 'i3'],
        dimensions: ['cart', 'checkout'],
        minutes: [],
        people: ['Ann'],
      })
      expect(wordsOfSecond).toEqual({
        incidents: ['i0', 'i2', 'i3'],
        dimensions: ['prod'],
        minutes: [10],
        people: ['Ann', 'Bot'],
      })
      expect(none).toEqual({
        incidents: ['i0', 'i1', 'i2', 'i3'],
        dimensions: [],
        minutes: [],
        people: ['Ann', 'Bot'],
        definitions: null,
      })
      expect(ofFirst).not.toBe(ofSecond)
      known.push(ofFirst, ofSecond)
    }
    expect(known.slice(2)).toEqual(known.slice(0, 2))
  })
})
