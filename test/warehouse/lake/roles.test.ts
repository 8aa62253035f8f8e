import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Lake, lakeSchema } from '../../../src/config/lake.ts'
import { defaultSettings } from '../../../src/config/settings.ts'
import { resources } from '../../../src/resources/index.ts'
import { openCatalogue, tellPostgres } from '../../../src/warehouse/lake/catalogue.ts'
import { claimJob } from '../../../src/warehouse/lake/jobs.ts'
import { maintain } from '../../../src/warehouse/lake/maintain.ts'
import { openReader } from '../../../src/warehouse/read/reader.ts'
import { openWarehouse } from '../../../src/warehouse/warehouse.ts'
import { hasLake, type Postgres, startPostgres } from '../../support/lake.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

describe.runIf(hasLake)('the roles of deploy/lake-roles.sql', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
    postgres.config('roles')
    postgres.ask('roles', readFileSync('deploy/lake-roles.sql', 'utf8'))
    for (const role of ['maintenance', 'worker', 'reader'])
      postgres.ask('roles', `alter role faultline_${role} password '${role}'`)
    await maintain(as('maintenance'), 7)
    const warehouse = await openWarehouse(as('worker'), resources, { accountId: 1n })
    await warehouse.publish()
  })
  afterAll(() => postgres?.stop())

  function as(role: string): Lake {
    const { warehouse, lake } = postgres.config('roles')
    const fields = lakeSchema.parse({ ...lake, work: `${lake.data}-${role}` })
    return new Lake(warehouse.replace('user=faultline', `user=faultline_${role}`), fields, '/', () => role)
  }

  test('are enough: the lake is made, published to, read, worked on and maintained', async () => {
    const reader = await openReader(as('reader'), { settings: defaultSettings })
    expect((await reader.query('select account_id from accounts')).rows).toEqual([[1n]])
    reader.close()
    const claim = await claimJob(as('worker'), 'sync:one')
    await claim?.begin(0)
    await claim?.end('ok', 0)
    await claim?.release()
    await (await openWarehouse(as('worker'), resources, { accountId: 2n })).publish()
    expect(await maintain(as('maintenance'), 7)).toMatchObject({ expired: 0 })
  })

  test.each([
    ['reader', 'delete from ducklake_data_file'],
    ['reader', 'insert into ducklake_snapshot (snapshot_id) values (99)'],
    ['reader', 'update faultline_leases set epoch = 99'],
    ['reader', 'select * from faultline_jobs'],
    ['reader', 'create table mine (a int)'],
    ['worker', 'drop table ducklake_data_file'],
    ['worker', 'create table mine (a int)'],
    ['worker', 'delete from faultline_leases'],
    ['worker', 'alter table faultline_leases add column a int'],
  ])('keep a %s from `%s`', async (role, statement) => {
    const instance = await openCatalogue(as(role))
    await expect(tellPostgres(instance, statement)).rejects.toThrow(/permission denied|must be owner/)
    instance.closeSync()
  })
})
