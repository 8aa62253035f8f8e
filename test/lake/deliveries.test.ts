import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { deliveriesInLake } from '../../src/lake/deliveries-table.ts'
import { jobsOf } from '../../src/lake/lake-jobs.ts'
import { maintain } from '../../src/lake/maintain-lake.ts'
import { Lake, lakeSchema } from '../../src/settings/lake.ts'
import { hasLake, type Postgres, startPostgres } from '../support/lake.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

describe.runIf(hasLake)('the ledger of deliveries of a lake', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
    postgres.config('roles')
    postgres.ask('roles', readFileSync('deploy/lake-roles.sql', 'utf8'))
    for (const role of ['maintenance', 'worker', 'reader'])
      postgres.ask('roles', `alter role faultline_${role} password '${role}'`)
    await maintain(as('maintenance'), 7)
  })
  afterAll(() => postgres?.stop())

  function as(role: string): Lake {
    const { warehouse, lake } = postgres.config('roles')
    const fields = lakeSchema.parse({ ...lake, work: `${lake.data}-${role}` })
    return new Lake(warehouse.replace('user=faultline', `user=faultline_${role}`), fields, '/', () => role)
  }

  const message = { key: "k'1", report: "my 'report", due: '2026-11-23T06:30:00.000Z' }

  test('keeps one row when several workers write the same one at once', async () => {
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

  test('is written by workers, and a reader cannot keep a report from being sent', async () => {
    await deliveriesInLake(as('worker')).note(message)
    expect((await deliveriesInLake(as('worker')).sent(message.report)).size).toBe(1)
    await expect(deliveriesInLake(as('reader')).note(message)).rejects.toThrow(/permission denied/)
  })
})
