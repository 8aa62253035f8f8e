import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { CheckResult } from '../../src/cli/check/check-result.ts'
import { checkWarehouse } from '../../src/cli/check/check-warehouse.ts'
import { onConnection } from '../../src/definitions/duckdb.ts'
import { onPublished, writerOf } from '../../src/lake/catalog.ts'
import { verifyInLake } from '../../src/lake/lake-tables.ts'
import { repair } from '../../src/lake/repair-lake.ts'
import { resources } from '../../src/resources/index.ts'
import type { Lake } from '../../src/settings/lake.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import type { Warehouse } from '../../src/warehouse/warehouse.ts'
import { hasLake, postgresOfTests } from '../support/lake.ts'
import { type Network, networkTo } from '../support/network-cut.ts'
import { openReader, openWarehouse, publishedAt } from '../support/storage.ts'

vi.setConfig({ testTimeout: 480_000, hookTimeout: 300_000 })

/** The first changing statement of DuckLake's commit. All of our checks run before it. */
const IN_COMMIT = /insert into [^;]{0,40}ducklake_snapshot/i
const INCIDENTS = 113n

/** Rejects if a machine fails before its commit, because otherwise the race would wait for ever. */
const endedEarly = (said: string) => Promise.reject(new Error(`It ended before the cut: ${said}`))

describe.runIf(hasLake)('a machine that is cut off from PostgreSQL during its commit', () => {
  const postgres = postgresOfTests()
  let network: Network
  beforeEach(async () => {
    network = await networkTo(postgres.port)
  })
  afterEach(() => network.close())

  async function read(lake: Lake, accountId: bigint): Promise<Warehouse> {
    const warehouse = await openWarehouse(lake, resources, { accountId })
    await sql`insert into incidents by name (select ${accountId} as account_id, i::varchar as incident_id, 'of the service' as title
      from range(${INCIDENTS}) as n(i))`.execute(warehouse.db)
    return warehouse
  }

  async function rowsOf(lake: Lake, accountId: bigint): Promise<unknown[]> {
    const reader = await openReader(lake, { settings: defaultSettings })
    const { rows } = await reader.query(
      `select count(*), count(distinct incident_id) from incidents where account_id = ${accountId}`,
    )
    reader.close()
    return rows[0]!
  }

  /** Disconnects `slow` during its commit of account 2, while `other` publishes this account. @returns the result of `slow` */
  async function race(slow: Lake, other: Lake, database: string): Promise<string> {
    await (await read(other, 1n)).publish()
    const paused = await read(slow, 2n)
    const cut = network.cutAt(IN_COMMIT)
    const late = paused.publish().then(
      () => 'published',
      (error: Error) => error.message,
    )
    await Promise.race([cut, late.then(endedEarly)])
    postgres.endLeases(database)
    await (await read(other, 2n)).publish()
    network.heal()
    return late
  }

  test.each([
    ['with the original ledger', ''],
    ['with a rewritten ledger', 'delete from lake_tables where account_id = 2 and snapshot_id = 3'],
  ])(
    'may publish the rows of an account twice, which `check` reports and `repair` fixes: %s',
    async (_, then) => {
      const name = then === '' ? 'doubled' : 'written_anew'
      const [slow, other] = [postgres.lake(name, {}, network.port), postgres.lake(name)]
      // Makes writers retry, as in older versions.
      await onConnection(await writerOf(slow), (connection) =>
        connection.run('set global ducklake_max_retry_count = 10'),
      )
      await race(slow, other, name)
      if (then !== '')
        await onPublished(other, undefined, async (connection) => void (await connection.run(then)))
      expect(await rowsOf(other, 2n)).toEqual([2n * INCIDENTS, INCIDENTS])
      const said = expect.stringMatching(/account 2: .*incidents \(226 rows, published 113\)/)
      expect(await checked(other)).toMatchObject({ level: 'fail', message: said })
      expect((await verifyInLake(other, 2n)).map(({ table }) => table)).toContain('incidents')
      const fresh = postgres.lake(name)
      await expect(openWarehouse(fresh, resources, { accountId: 2n })).rejects.toThrow(/more than once/)
      const [mended] = await repair(other)
      expect(mended).toMatchObject({ accountId: 2n })
      expect(mended!.tables).toContainEqual({ table: 'incidents', before: 226n, after: 113n })
      for (const account of [1n, 2n])
        expect([await rowsOf(other, account), await verifyInLake(other, account)]).toEqual([
          [INCIDENTS, INCIDENTS],
          [],
        ])
      expect(await checked(other)).toMatchObject({ level: 'ok' })
      expect(await repair(other)).toEqual([])
      await (await openWarehouse(fresh, resources, { accountId: 2n })).close()
    },
  )

  async function checked(lake: Lake): Promise<CheckResult | undefined> {
    const reader = await openReader(lake, { settings: defaultSettings })
    const findings = await checkWarehouse(publishedAt(lake), reader)
    reader.close()
    return findings.find(({ check }) => check === 'lake')
  }
})
