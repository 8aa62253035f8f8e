import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { openWarehouse } from '../support/storage.ts'
import { failure, placeOfTests } from './warehouse-place.ts'

const at = placeOfTests()

describe('an error reports that a warehouse cannot be opened', () => {
  test('because its folder is missing', async () => {
    const error = await failure(
      openWarehouse(join(at.folder, 'no', 'where.duckdb'), resources, { accountId: 1n }),
    )
    expect(error.message).toContain(join(at.folder, 'no'))
    expect(error.next).toMatch(/Create it/)
  })

  test('because its folder is not writable', async () => {
    // Root may write everywhere except in /proc/self.
    const closed = process.getuid?.() === 0 ? '/proc/self' : at.folder
    if (closed === at.folder) chmodSync(at.folder, 0o555)
    const error = await failure(openWarehouse(join(closed, 'faultline.duckdb'), resources, { accountId: 1n }))
    chmodSync(at.folder, 0o755)
    expect(error.message).toMatch(/cannot be written/)
    expect(error.next).toMatch(/may write the file and its folder/)
  })

  test('because its published copy cannot be read', async () => {
    mkdirSync(at.path)
    const error = await failure(openWarehouse(at.path, resources, { accountId: 1n }))
    expect(error.message).toContain(at.path)
    expect(error.next).toBeDefined()
  })

  // Words in these folder names must not be mistaken for an error about a lock or a permission.
  test.each(['plain', 'o’clock, block & lock', 'permission denied'])(
    'because its working file is not a DuckDB file, in a folder named %s',
    async (name) => {
      at.path = join(at.folder, name, 'faultline.duckdb')
      mkdirSync(`${at.path}.sync`, { recursive: true })
      writeFileSync(
        `${at.path}.sync/1.duckdb`,
        'not a database, but a text that is long enough to be read as a header'.repeat(300),
      )
      const error = await failure(openWarehouse(at.path, resources, { accountId: 1n }))
      expect(error.message).toMatch(/is damaged: .*not a valid DuckDB database file/)
      expect(error.next).toMatch(/The next `faultline sync` repairs it/)
    },
  )

  test('because an object from another program has the name of a required table', async () => {
    mkdirSync(`${at.path}.sync`)
    const instance = await DuckDBInstance.create(`${at.path}.sync/1.duckdb`)
    const connection = await instance.connect()
    await connection.run('create view incidents as select 1 as x')
    connection.closeSync()
    instance.closeSync()
    const error = await failure(openWarehouse(at.path, resources, { accountId: 1n }))
    expect(error.message).toMatch(/cannot be opened/)
  })
})
