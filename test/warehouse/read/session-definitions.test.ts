import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, test } from 'vitest'
import { viewFiles } from '../../../src/definitions/views.ts'
import { WarehouseError } from '../../../src/errors.ts'
import { resources } from '../../../src/resources/index.ts'
import { defaultSettings, type Settings } from '../../../src/settings/settings.ts'
import { createTables } from '../../../src/warehouse/schema/create.ts'
import { openReader } from '../../support/storage.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-present-'))
let count = 0

/** Creates a warehouse file with all tables, and runs the statements on the file. */
async function file(settings: Settings | undefined, ...statements: string[]): Promise<string> {
  const path = join(folder, `${count++}.duckdb`)
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  await connection.run("set TimeZone = 'UTC'")
  await createTables(connection, resources, settings)
  for (const statement of statements) await connection.run(statement)
  connection.closeSync()
  instance.closeSync()
  return path
}

async function rows(path: string, query: string, settings?: Settings) {
  const reader = await openReader(path, settings ? { settings } : {})
  try {
    const session = await reader.session()
    // The reader itself and its sessions return the same rows.
    const [one, other] = [await reader.query(query), await session.query(query)]
    expect(other).toEqual(one)
    return one.rows
  } finally {
    reader.close()
  }
}

const strict: Settings = {
  targets: [
    { severity: `O'Hara`, ack_target_s: 1, resolve_target_s: null, ack_goal: 0.5, resolve_goal: null },
  ],
  ownTargets: [],
  workingHours: [],
  workingZones: [],
  automation: [],
  measures: [],
  corrections: [],
  bands: [{ band: 'work', weekdays: [1, 7], from_hour: 0, to_hour: 24, rank: 1 }],
  holidays: [{ day: '2026-12-25', name: `"; drop table incidents; --` }],
  onCall: [],
  events: [],
  personZones: [{ person_id: '900719925474099371', timezone: 'Asia/Tokyo' }],
  policies: [{ name: 'ack', value: 'close_counts' }],
  thresholds: [],
  exclusions: [],
  dimensions: [],
}

describe('the settings of a warehouse file', () => {
  test('are stored in tables, and change only if a program passes new settings', async () => {
    const path = await file(strict)
    const all = async (settings?: Settings) => ({
      targets: await rows(path, 'from config_targets', settings),
      bands: await rows(path, 'from config_bands', settings),
      holidays: await rows(path, 'from config_holidays', settings),
      zones: await rows(path, 'from config_person_zones', settings),
      policies: await rows(path, 'from config_policies', settings),
      thresholds: await rows(path, 'from config_thresholds', settings),
    })
    expect(await all()).toEqual({
      targets: [[`O'Hara`, 1, null, 0.5, null, null, null]],
      bands: [['work', [1n, 7n], 0n, 24n, 1n]],
      holidays: [['2026-12-25', `"; drop table incidents; --`]],
      zones: [[900719925474099371n, 'Asia/Tokyo']],
      policies: [['ack', 'close_counts']],
      thresholds: [],
    })
    const defaults = await all(defaultSettings)
    expect(defaults.thresholds).toHaveLength(defaultSettings.thresholds.length)
    expect(defaults.holidays).toEqual([])
    const instance = await DuckDBInstance.create(path)
    const connection = await instance.connect()
    await createTables(connection, resources)
    const kept = await connection.runAndReadAll('select value from config_policies')
    await createTables(connection, resources, defaultSettings)
    const replaced = await connection.runAndReadAll('select value from config_policies order by name')
    expect([kept.getRows(), replaced.getRows()]).toEqual([[['close_counts']], [['exclude'], ['started']]])
    connection.closeSync()
    instance.closeSync()
  })

  test('are the defaults if the file is new and no settings are passed', async () => {
    const targets = await rows(await file(undefined), 'select severity from config_targets')
    expect(targets.flat()).toEqual(defaultSettings.targets.map(({ severity }) => severity))
  })
})

describe('the SQL definitions of a reader', () => {
  let old: string
  beforeAll(async () => {
    old = await file(
      undefined,
      'drop view incident_times',
      'create view incident_times as select 1 as former',
      'drop table post_mortems',
      'alter table incidents drop column dedup_key',
      `insert into incidents (account_id, incident_id, progress, start_time, ack_time)
       values (42, 'a', 'Processing', '2026-01-01 00:00:00Z', '2026-01-01 00:05:00Z')`,
    )
  })

  test('override the definitions in the published copy, and treat a missing table as empty', async () => {
    expect(await rows(old, 'from incident_times')).toEqual([[1]])
    expect(await rows(old, 'select time_to_ack_s, dedup_key from incident_times', defaultSettings)).toEqual([
      [300, null],
    ])
    expect(await rows(old, 'select count(*) from post_mortems', defaultSettings)).toEqual([[0n]])
    const reader = await openReader(old, { settings: defaultSettings })
    for (const { kind, name } of viewFiles()) {
      if (kind === 'view') await reader.query(`from ${name} limit 1`)
    }
    reader.close()
  })

  test('do not change the file', async () => {
    const reader = await openReader(old, { settings: defaultSettings })
    const refused = reader.query('delete from config_targets')
    await expect(refused).rejects.toThrow(WarehouseError)
    reader.close()
    expect(await rows(old, 'from incident_times')).toEqual([[1]])
  })
})
