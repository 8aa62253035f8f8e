import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { resources } from '../../../src/resources/index.ts'
import { takeLock } from '../../../src/warehouse/file/file-lock.ts'
import { openWarehouse } from '../../support/storage.ts'

/** The modes of all files that other users can reach. A folder with mode 700 protects its content. */
function open(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const file of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, file.name)
    const mode = statSync(path).mode & 0o777
    if ((mode & 0o077) === 0) continue
    if (file.isDirectory()) Object.assign(found, open(path))
    found[file.name] = mode.toString(8)
  }
  return found
}

describe.skipIf(process.platform === 'win32')('files of the warehouse', () => {
  let folder: string
  let path: string
  let mask: number
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'faultline-private-'))
    path = join(folder, 'faultline.duckdb')
    // With this umask, nothing is private by default.
    mask = process.umask(0)
  })
  afterEach(() => {
    process.umask(mask)
    rmSync(folder, { recursive: true, force: true })
  })

  test('are never readable by other users, whatever the umask', async () => {
    const warehouse = await openWarehouse(path, resources, { accountId: 1n })
    await sql`insert into faultline_meta (key, value) values ('word', 'secret')`.execute(warehouse.db)
    expect(readdirSync(`${path}.sync`).sort()).toEqual(['1.duckdb', '1.duckdb.wal', '1.lock'])
    expect(open(folder)).toEqual({})
    await warehouse.publish()
    expect(readdirSync(folder)).toContain('faultline.duckdb')
    expect(open(folder)).toEqual({})
  })

  test('are made private when the warehouse is opened', async () => {
    await (await openWarehouse(path, resources, { accountId: 1n })).close()
    chmodSync(`${path}.sync`, 0o777)
    for (const file of readdirSync(`${path}.sync`)) chmodSync(join(`${path}.sync`, file), 0o666)
    const warehouse = await openWarehouse(path, resources, { accountId: 1n })
    expect(open(folder)).toEqual({})
    await warehouse.close()
  })

  test('include the lock file, which is private even if no other file exists', async () => {
    const release = await takeLock(`${path}.lock`)
    expect(open(folder)).toEqual({})
    release()
  })
})
