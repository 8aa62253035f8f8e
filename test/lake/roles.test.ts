import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { executeOnCatalog, openCatalogue } from '../../src/lake/catalog.ts'
import { deliveriesInLake } from '../../src/lake/deliveries-table.ts'
import { jobsOf } from '../../src/lake/lake-jobs.ts'
import { maintain } from '../../src/lake/maintain-lake.ts'
import { resources } from '../../src/resources/index.ts'
import { Lake, lakeSchema } from '../../src/settings/lake.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { hasLake, postgresOfTests } from '../support/lake.ts'
import { openReader, openWarehouse } from '../support/storage.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

describe.runIf(hasLake)('the roles in deploy/lake-roles.sql', () => {
  const postgres = postgresOfTests()
  beforeAll(async () => {
    postgres.config('roles')
    postgres.ask('roles', readFileSync('deploy/lake-roles.sql', 'utf8'))
    // The statements run a second time, as after an update.
    postgres.ask('roles', readFileSync('deploy/lake-roles.sql', 'utf8'))
    for (const role of ['maintenance', 'worker', 'reader'])
      postgres.ask('roles', `alter role faultline_${role} password '${role}'`)
    const told = await openWarehouse(as('worker'), resources, { accountId: 1n }).catch((error) => error)
    expect([told.message, told.next]).toEqual([
      expect.stringMatching(/^The lake .* was not created yet/),
      expect.stringMatching(/faultline lake maintain.*faultline_maintenance/),
    ])
    await maintain(as('maintenance'), 7)
    const warehouse = await openWarehouse(as('worker'), resources, { accountId: 1n })
    await warehouse.publish()
  })

  function as(role: string): Lake {
    const { warehouse, lake } = postgres.config('roles')
    const fields = lakeSchema.parse({ ...lake, work: `${lake.data}-${role}` })
    return new Lake(warehouse.replace('user=faultline', `user=faultline_${role}`), fields, '/', () => role)
  }

  test('have the permissions to create, publish, read and maintain a lake', async () => {
    const reader = await openReader(as('reader'), { settings: defaultSettings })
    expect((await reader.query('select account_id from accounts')).rows).toEqual([[1n]])
    reader.close()
    const lease = await jobsOf(as('worker')).lease('sync:one', () => undefined)
    await lease?.begin(0)
    await lease?.end('ok', { failures: 0, tries: 0 })
    await lease?.release()
    await (await openWarehouse(as('worker'), resources, { accountId: 2n })).publish()
    expect(await maintain(as('maintenance'), 7)).toMatchObject({ expired: 0 })
  })

  test.each([
    ['reader', 'delete from ducklake_data_file'],
    ['reader', 'insert into ducklake_snapshot (snapshot_id) values (99)'],
    ['reader', 'update faultline_leases set epoch = 99'],
    ['reader', 'select * from faultline_jobs'],
    ['reader', 'create table mine (a int)'],
    ['reader', 'create temporary table mine (a int)'],
    ['reader', 'select 1 into temporary mine'],
    ['reader', `select lo_from_bytea(0, 'mine')`],
    ['reader', 'select lo_creat(0)'],
    ['reader', `select pg_advisory_lock(hashtextextended('faultline publishing', 0))`],
    ['reader', 'select pg_try_advisory_xact_lock(1)'],
    ['reader', `select from faultline_locks where name = 'publishing' for update`],
    ['reader', 'begin; lock table faultline_locks in access share mode'],
    ['reader', 'begin; lock table ducklake_snapshot in row exclusive mode'],
    ['reader', 'select from ducklake_snapshot for share'],
    ['reader', 'select from faultline_keys'],
    ['worker', 'drop table ducklake_data_file'],
    ['worker', 'create table mine (a int)'],
    ['worker', 'delete from faultline_leases'],
    ['worker', 'alter table faultline_leases add column a int'],
  ])('do not allow a %s to run `%s`', async (role, statement) => {
    const instance = await openCatalogue(as(role))
    await expect(executeOnCatalog(instance, statement)).rejects.toThrow(/permission denied|must be owner/)
    instance.closeSync()
  })

  const message = { key: "k'1", report: "my 'report", due: '2026-11-23T06:30:00.000Z' }

  test('allow workers but not readers to record sent messages', async () => {
    await deliveriesInLake(as('worker')).note(message)
    expect((await deliveriesInLake(as('worker')).sent(message.report)).size).toBe(1)
    await expect(deliveriesInLake(as('reader')).note(message)).rejects.toThrow(/permission denied/)
  })

  test('allow concurrent workers to record the same message, which is stored once', async () => {
    const lakes = Array.from({ length: 8 }, () => postgres.lake('at_once'))
    await deliveriesInLake(lakes[0]!).sent('')
    for (let turn = 0; turn < 10; turn++) {
      const key = `k${turn}`
      await Promise.all(lakes.map((lake) => deliveriesInLake(lake).note({ ...message, key })))
      await Promise.all(lakes.map((lake) => jobsOf(lake).recordKey(key, 7n)))
    }
    expect((await deliveriesInLake(lakes[1]!).sent(message.report)).size).toBe(10)
    expect((await jobsOf(lakes[1]!).read()).accounts.size).toBe(10)
  })

  test('let maintenance create a table that an older version did not create', async () => {
    postgres.ask('roles', 'drop table faultline_keys')
    // Simulates a new process, because the result of the check is cached.
    const fresh = Object.assign(as('worker'), { toString: () => 'the lake' })
    await expect(jobsOf(fresh).read()).rejects.toThrow(
      /lacks faultline_keys, and this role may not create tables/,
    )
    await maintain(Object.assign(as('maintenance'), { toString: () => 'the lake' }), 7)
    await jobsOf(fresh).read()
  })
})
