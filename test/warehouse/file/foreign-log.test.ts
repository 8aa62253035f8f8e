import { copyFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { resources } from '../../../src/resources/index.ts'
import { defaultSettings } from '../../../src/settings/settings.ts'
import { readWorkingFiles } from '../../../src/warehouse/read/working-files.ts'
import { otherProgram } from '../../support/other-program.ts'
import { openExporter, openReader, openWarehouse, publishedAt } from '../../support/storage.ts'
import { preparedWarehouse } from '../../support/warehouse.ts'

let folder: string
let path: string
let log: string
let kept: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-log-'))
  path = join(folder, 'warehouse.duckdb')
  log = `${path}.wal`
  kept = join(`${path}.sync`, 'published.duckdb.wal.aside')
  preparedWarehouse(path, 1, 2)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function publish(accountId: bigint, title: string): Promise<void> {
  const warehouse = await openWarehouse(path, resources, { accountId })
  await warehouse.db.deleteFrom('incidents').execute()
  const rows = ['a', 'b'].map((incident_id) => ({ account_id: accountId, incident_id, title }))
  await warehouse.db.insertInto('incidents').values(rows).execute()
  await warehouse.publish()
}

const CHANGES = [`update incidents set title = 'foreign'`, `delete from incidents where incident_id = 'a'`]

/** Leaves the log of a program that changed a file and was killed. */
async function leaveLog(file = path): Promise<void> {
  await (await otherProgram(file, ...CHANGES)).kill()
  expect(existsSync(`${file}.wal`)).toBe(true)
}

const QUERY = 'select title from incidents order by account_id, incident_id'

async function read(file = path): Promise<unknown[]> {
  const reader = await openReader(file)
  try {
    return (await reader.query(QUERY)).rows.flat()
  } finally {
    reader.close()
  }
}

/** Returns the rows that another program reads. That program applies the log. */
async function readByOthers(file = path): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const found = await connection.runAndReadAll(QUERY)
  connection.closeSync()
  instance.closeSync()
  return found.getRows().flat()
}

const published = () => publishedAt(path)
const looks = () => readdirSync(`${path}.sync`).filter((file) => file.startsWith('look'))

describe('a DuckDB write-ahead log that another program left next to the published copy', () => {
  beforeEach(() => publish(1n, 'one'))

  test('is replayed by other programs, but every Faultline reader ignores the log and prints a notice', async () => {
    await leaveLog()
    expect(await readByOthers()).toEqual(['foreign'])
    expect(await read()).toEqual(['one', 'one'])
    const reader = await openReader(path)
    expect(reader.notice).toContain(log)
    expect((await reader.query('select current_database()')).rows).toEqual([['warehouse']])
    reader.close()
    const { signal } = new AbortController()
    const exporter = await openExporter(path, { folder, settings: defaultSettings, signal })
    expect(await exporter.list(QUERY)).toEqual(['one', 'one'])
    expect(exporter.notice).toContain(log)
    exporter.close()
    const rows = await published().inside([], async (connection) =>
      (await connection.runAndReadAll(QUERY)).getRows(),
    )
    expect(rows).toEqual([['one'], ['one']])
    for await (const checked of published().verify()) expect(checked).toHaveProperty('found')
    expect(existsSync(log)).toBe(true)
    expect(looks()).toEqual([])
  })

  test('is ignored even beside a backup, which has no sync folder', async () => {
    await leaveLog()
    const backup = join(folder, 'backup.duckdb')
    for (const end of ['', '.wal']) copyFileSync(path + end, backup + end)
    expect(await read(backup)).toEqual(['one', 'one'])
  })

  test('is ignored even if the copy is opened through a symbolic link', async () => {
    await leaveLog()
    const link = join(mkdtempSync(join(folder, 'link-')), 'linked.duckdb')
    symlinkSync(path, link)
    expect(await read(link)).toEqual(['one', 'one'])
  })

  test('is moved aside by the next sync with a single notice', async () => {
    await leaveLog()
    expect(await published().adopt()).toContain('warehouse.duckdb.wal')
    expect(existsSync(log)).toBe(false)
    expect(existsSync(kept)).toBe(true)
    expect(await published().adopt()).toBeUndefined()
    expect(await readByOthers()).toEqual(['one', 'one'])
  })

  test.each(['.wal.checkpoint', '.wal.recovery'])(
    'is moved aside even if its name ends in %s',
    async (ending) => {
      await leaveLog()
      renameSync(log, path + ending)
      expect(await read()).toEqual(['one', 'one'])
      await publish(1n, 'two')
      expect(existsSync(path + ending)).toBe(false)
    },
  )

  test('is ignored after a kill or a power cut during publication', async () => {
    await leaveLog()
    const former = join(folder, 'former log')
    copyFileSync(log, former)
    await publish(1n, 'two')
    // After a power cut, the new file exists and the old log is still there.
    copyFileSync(former, log)
    expect(await read()).toEqual(['two', 'two'])
    // After a kill, the log was already moved and the previous file is complete.
    await published().adopt()
    expect(await read()).toEqual(['two', 'two'])
    await publish(1n, 'three')
    expect(await readByOthers()).toEqual(['three', 'three'])
  })
})

describe('a DuckDB write-ahead log that another program left', () => {
  beforeEach(() => publish(1n, 'one'))

  test.each([1, 2])('is ignored when a working file is rebuilt from %i accounts', async (accounts) => {
    if (accounts === 2) await publish(2n, 'other')
    await leaveLog()
    rmSync(join(`${path}.sync`, '1.duckdb'))
    const warehouse = await openWarehouse(path, resources, { accountId: 1n })
    const rows = await warehouse.db.selectFrom('incidents').select('title').execute()
    await warehouse.close()
    expect(rows.map(({ title }) => title)).toEqual(['one', 'one'])
  })

  test('is not replayed when an account is removed', async () => {
    await publish(2n, 'other')
    await leaveLog()
    await published().remove({ accountId: 2n, name: null })
    expect(await readByOthers()).toEqual(['one', 'one'])
    expect(existsSync(log)).toBe(false)
    expect(existsSync(kept)).toBe(false)
    await leaveLog()
    await published().remove({ accountId: 1n, name: null })
    expect(readdirSync(folder)).toEqual(['warehouse.duckdb.sync'])
    expect(existsSync(kept)).toBe(false)
  })

  test('is ignored by `restore`, beside the published copy and beside the backup', async () => {
    const backup = join(folder, 'backup.duckdb')
    copyFileSync(path, backup)
    await leaveLog(backup)
    await publish(1n, 'two')
    await leaveLog()
    const { notices } = await published().putBack(backup)
    expect(notices.join()).toContain(`${backup}.wal`)
    expect(notices.join()).toContain(path)
    expect(await readByOthers()).toEqual(['one', 'one'])
    expect(existsSync(`${backup}.wal`)).toBe(true)
    expect(await published().putBack()).toMatchObject({ notices: [] })
    expect(await readByOthers()).toEqual(['two', 'two'])
  })

  test('is ignored if a backup replaces the published copy', async () => {
    const backup = join(folder, 'backup.duckdb')
    copyFileSync(path, backup)
    await publish(1n, 'two')
    await leaveLog()
    copyFileSync(backup, path)
    const notice = await published().adopt()
    expect(notice).toMatch(/left warehouse\.duckdb\.wal[\s\S]*restored backup/)
    const warehouse = await openWarehouse(path, resources, { accountId: 1n })
    await warehouse.publish()
    expect(await readByOthers()).toEqual(['one', 'one'])
  })
})

describe('the write-ahead log of a working file', () => {
  test('is replayed by readers of the file, because the log contains batches of a killed sync', async () => {
    const working = join(`${path}.sync`, '1.duckdb')
    await (
      await otherProgram(working, `insert into incidents (account_id, incident_id) values (1, 'a')`)
    ).kill()
    const [first] = await readWorkingFiles(
      published(),
      {},
      async (reader) => (await reader.query(QUERY)).rows.length,
    )
    expect(first?.found).toBe(1)
  })
})

describe('a published copy that another program has open for writing', () => {
  test('is read from a temporary copy, with a notice that names the other process', async () => {
    await publish(1n, 'one')
    const other = await otherProgram(path, ...CHANGES)
    try {
      await expect(readByOthers()).rejects.toThrow(/lock/)
      const reader = await openReader(path)
      expect(reader.notice).toContain(`process ${other.pid}`)
      expect((await reader.query(QUERY)).rows).toEqual([['one'], ['one']])
      reader.close()
      expect(await published().adopt()).toContain(`process ${other.pid}`)
      const rewriting = { rules: '', isNeeded: async () => false, change: async () => {} }
      await published().rewrite(rewriting, resources)
      for await (const checked of published().verify()) expect(checked).toHaveProperty('found')
      await publish(1n, 'two')
      expect(await readByOthers()).toEqual(['two', 'two'])
    } finally {
      await other.kill()
    }
    expect(await readByOthers()).toEqual(['two', 'two'])
    expect(looks()).toEqual([])
  })

  test('becomes the previous copy, without changes that the program makes after the next publish', async () => {
    await publish(1n, 'one')
    const other = await otherProgram(path, ...CHANGES)
    await publish(1n, 'two')
    await other.close()
    expect(await readByOthers()).toEqual(['two', 'two'])
    await published().putBack()
    expect(await readByOthers()).toEqual(['one', 'one'])
  })
})
