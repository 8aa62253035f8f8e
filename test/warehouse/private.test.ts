import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { takeLock } from '../../src/warehouse/lock.ts'
import { keepPrivate } from '../../src/warehouse/private.ts'
import { openWarehouse } from '../../src/warehouse/warehouse.ts'

/** The modes of all files of a folder that are not their owner's alone. */
function open(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Object.fromEntries(
    files
      .map((file) => [file, statSync(join(folder, file)).mode & 0o777] as const)
      .filter(([, mode]) => (mode & 0o077) !== 0)
      .map(([file, mode]) => [file, mode.toString(8)]),
  )
}

describe.skipIf(process.platform === 'win32')('files of the warehouse', () => {
  let folder: string
  let path: string
  let mask: number
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'faultline-private-'))
    path = join(folder, 'faultline.duckdb')
    // The widest there is: nothing is private by itself.
    mask = process.umask(0)
  })
  afterEach(() => {
    process.umask(mask)
    rmSync(folder, { recursive: true, force: true })
  })

  test('are never readable by others, whatever the mask: written, logged, published', async () => {
    const warehouse = await openWarehouse(path, resources)
    await sql`insert into faultline_meta (key, value) values ('word', 'secret')`.execute(warehouse.db)
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining([
        'faultline.duckdb.sync',
        'faultline.duckdb.sync.holder',
        'faultline.duckdb.sync.lock',
        'faultline.duckdb.sync.wal',
      ]),
    )
    expect(open(folder)).toEqual({})
    await warehouse.publish()
    expect(readdirSync(folder)).toContain('faultline.duckdb')
    expect(open(folder)).toEqual({})
  })

  test('are made private where an older program left them open', async () => {
    await (await openWarehouse(path, resources)).close()
    writeFileSync(`${path}.sync.holder`, '{}')
    for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o666)
    const warehouse = await openWarehouse(path, resources)
    expect(open(folder)).toEqual({})
    await warehouse.close()
  })

  test('leave the mask of the process as it was, also after a failure', async () => {
    const warehouse = await openWarehouse(path, resources)
    await expect(openWarehouse(path, resources)).rejects.toThrow(/Another sync/)
    expect(process.umask()).toBe(0o077)
    await warehouse.close()
    expect(process.umask()).toBe(0)
    writeFileSync(`${path}.sync`, 'no database')
    await expect(openWarehouse(path, resources)).rejects.toThrow()
    expect(process.umask()).toBe(0)
  })

  test('a lock alone is private, and leaves what else the process makes as it is', async () => {
    const lock = `${path}.lock`
    const release = await takeLock(lock)
    expect(process.umask()).toBe(0)
    expect(open(folder)).toEqual({})
    release()
    expect(process.umask()).toBe(0)
  })

  test('the mask is held until the last one lets go, and letting go twice is once', () => {
    const first = keepPrivate()
    const second = keepPrivate()
    first()
    first()
    expect(process.umask()).toBe(0o077)
    second()
    expect(process.umask()).toBe(0)
  })
})
