import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { accountsInLake } from '../../src/lake/restore-from-lake.ts'
import { resources } from '../../src/resources/index.ts'
import { publishAll } from '../../src/warehouse/warehouse.ts'
import { type Running, run, start } from '../support/cli.ts'
import { hasLake, PASSWORD, postgresOfTests } from '../support/lake.ts'
import { openReader, openWarehouse } from '../support/storage.ts'
import { preparedWarehouse, scratch } from '../support/warehouse.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 240_000 })

const ACCOUNTS = Array.from({ length: 5 }, (_, index) => BigInt(index + 1))

describe.runIf(hasLake)('`faultline copy`', () => {
  const folder = scratch()
  const postgres = postgresOfTests()
  beforeAll(async () => {
    await settle('faultline', ACCOUNTS)
    config('file', { warehouse: './faultline.duckdb' })
    config('back', { warehouse: './back.duckdb' })
    lakeConfig('lake')
  })

  const config = (name: string, fields: object) =>
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(fields))
  function lakeConfig(name: string) {
    const { warehouse, lake } = postgres.config(name)
    mkdirSync(join(folder, `work-${name}`), { recursive: true })
    config(name, { warehouse, lake: { ...lake, work: `./work-${name}` } })
  }
  /** Writes a file with one or `each` incidents per account. */
  async function settle(name: string, accounts: readonly bigint[], each = 1) {
    const path = join(folder, `${name}.duckdb`)
    preparedWarehouse(path, ...accounts)
    const opened = []
    for (const account_id of accounts) {
      const warehouse = await openWarehouse(path, resources, { accountId: account_id })
      const rows = Array.from({ length: each }, (_, row) => ({
        account_id,
        incident_id: `i${row}`,
        title: "it's",
      }))
      await warehouse.db.insertInto('incidents').values(rows).execute()
      await warehouse.finish()
      opened.push(warehouse)
    }
    expect((await publishAll(opened, resources)).filter(Boolean)).toEqual([])
  }
  const words = (from: string, to: string) => [
    'copy',
    ...['--config', join(folder, `${from}.json`), '--to', join(folder, `${to}.json`), '--json'],
  ]
  const environment = { FAULTLINE_LAKE_PASSWORD: PASSWORD }
  const copy = (from: string, to: string) => run(words(from, to), environment, folder)
  async function killed(running: Running, when: () => boolean) {
    while (!when()) await sleep(50)
    running.process.kill('SIGKILL')
    expect((await running.ended).signal).toBe('SIGKILL')
  }
  /** Returns whether an account is published, by a fast query of PostgreSQL. */
  const isPublished = (name: string) =>
    postgres.ask(name, "select to_regclass('ducklake_data_file') is not null") === 't' &&
    postgres.ask(name, 'select count(*) > 0 from ducklake_data_file') === 't'
  const incidentsIn = async (name: string) => {
    const reader = await openReader(join(folder, `${name}.duckdb`))
    const { rows } = await reader.query('select account_id, title from incidents order by all')
    reader.close()
    return rows
  }

  test('completes an interrupted copy into or out of a lake in a second run', async () => {
    const lake = postgres.lake('lake')
    await killed(start(words('file', 'lake'), environment, folder), () => isPublished('lake'))
    const before = (await accountsInLake(lake)).size
    expect(before).toBeLessThan(ACCOUNTS.length)
    const there = await copy('file', 'lake')
    expect(there).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(there.out)).toMatchObject({ accounts: 5, present: before, rows: 10 })
    const work = join(folder, 'back.duckdb.sync')
    await killed(start(words('lake', 'back'), environment, folder), () => existsSync(join(work, '3.duckdb')))
    expect(existsSync(join(folder, 'back.duckdb'))).toBe(false)
    const back = await copy('lake', 'back')
    expect(back).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(back.out)).toMatchObject({ accounts: 5, present: 0, rows: 10 })
    expect(await incidentsIn('back')).toEqual(ACCOUNTS.map((account) => [account, "it's"]))
    expect(await incidentsIn('back')).toEqual(await incidentsIn('faultline'))
    // Nothing remains to be copied, and the interrupted half was set aside.
    expect(JSON.parse((await copy('lake', 'back')).out)).toMatchObject({
      accounts: 5,
      present: 5,
      rows: 10,
    })
    expect(readdirSync(work)).toContain('3.duckdb.aside')
  })

  test('rejects a target warehouse with other data, and copies nothing', async () => {
    lakeConfig('other')
    await settle('more', [1n, 6n])
    await settle('changed', [1n], 2)
    for (const name of ['more', 'changed']) config(name, { warehouse: `./${name}.duckdb` })
    expect((await copy('changed', 'other')).code).toBe(0)
    const refused = [
      ['file', 'more', /more.duckdb contains account 6, which is not in /],
      ['file', 'changed', /changed.duckdb contains other rows of account 1 \(incidents\)/],
      ['file', 'other', /dbname=other .*contains other rows of account 1 \(incidents\)/],
    ] as const
    for (const [from, to, message] of refused)
      expect(await copy(from, to)).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(new RegExp(`${message.source}[^]*Nothing was copied`)),
      })
    expect(await incidentsIn('more')).toHaveLength(2)
    expect(await incidentsIn('changed')).toHaveLength(2)
    expect(await copy('file', 'file')).toMatchObject({ code: 2 })
    expect(await copy('none', 'file')).toMatchObject({ code: 2 })
    config('nothing', { warehouse: './nothing.duckdb' })
    expect(await copy('nothing', 'more')).toMatchObject({
      code: 1,
      err: expect.stringContaining('No warehouse found at'),
    })
  })
})
