import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { exportWarehouse } from '../../../src/cli/export/export-warehouse.ts'
import { ConfigError } from '../../../src/errors.ts'
import { listening } from '../../support/console.ts'
import { exportWorld } from './export-world.ts'

const { folder, exported, query } = exportWorld()

test.each([
  ['a quote', `o'u"t`],
  ['a glob pattern', 'o[u]*t?'],
  ['spaces and a line break', 'o u\nt'],
  ['letters outside ASCII', 'ö日🔥'],
  ['percent and dollar signs', '%20$HOME'],
])('an export can be written to a folder whose name contains %s', async (_, name) => {
  const out = join(folder, name)
  await exported(['incidents'], { to: out, format: 'parquet,csv,ndjson' })
  const plain = join(folder, 'plain')
  rmSync(plain, { recursive: true, force: true })
  renameSync(out, plain)
  expect(readdirSync(plain).sort()).toEqual([
    'datapackage.json',
    'incidents',
    'incidents.csv',
    'incidents.ndjson',
    'manifest.json',
  ])
  expect(await query(`select count(*) from '${plain}/incidents/*/*.parquet'`)).toEqual([['60']])
})

describe('the export folder', () => {
  test('is replaced entirely by the next export and keeps its permissions', async () => {
    const out = join(folder, 'again')
    await exported(['incidents'], { to: out })
    if (process.platform !== 'win32') {
      expect(statSync(out).mode & 0o777).toBe(0o700)
      chmodSync(out, 0o750)
    }
    await exported(['members'], { to: out })
    expect(readdirSync(out).sort()).toEqual(['datapackage.json', 'manifest.json', 'members.parquet'])
    if (process.platform !== 'win32') expect(statSync(out).mode & 0o777).toBe(0o750)
    expect(readdirSync(folder).filter((name) => name.startsWith('again.'))).toEqual([])
  })

  test('is not replaced if it contains files of another program', async () => {
    const out = join(folder, 'mine')
    mkdirSync(out)
    writeFileSync(join(out, 'letter.txt'), 'dear')
    await expect(exported([], { to: out })).rejects.toThrow(ConfigError)
    expect(readdirSync(out)).toEqual(['letter.txt'])
    await expect(exported([], { to: join(out, 'letter.txt') })).rejects.toThrow(/not a folder/)
    // A web app may also have a `manifest.json`.
    writeFileSync(join(out, 'manifest.json'), '{"name":"app","icons":[]}')
    await expect(exported([], { to: out })).rejects.toThrow(ConfigError)
    expect(readdirSync(out)).toEqual(['letter.txt', 'manifest.json'])
    for (const name of readdirSync(out)) rmSync(join(out, name))
    await exported(['members', 'incidents'], { to: out, format: 'parquet,csv' })
    await exported(['members', 'incidents'], { to: out })
    writeFileSync(join(out, 'my-notes.txt'), 'dear')
    await expect(exported([], { to: out })).rejects.toThrow(ConfigError)
    expect(readdirSync(out).sort()).toEqual([
      'datapackage.json',
      'incidents',
      'manifest.json',
      'members.parquet',
      'my-notes.txt',
    ])
  })

  test('keeps the previous export if an export is stopped or killed', async () => {
    const out = join(folder, 'kept')
    await exported(['members'], { to: out })
    const stopping = new AbortController()
    stopping.abort(new Error('stopped'))
    await expect(exported([], { to: out }, stopping.signal)).rejects.toThrow('stopped')
    expect(readdirSync(out).sort()).toEqual(['datapackage.json', 'manifest.json', 'members.parquet'])
    expect(readdirSync(folder).filter((name) => name.startsWith('kept.'))).toEqual([])

    // No process has this number.
    mkdirSync(`${out}.99999999.part/incidents`, { recursive: true })
    cpSync(out, `${out}.99999998.old`, { recursive: true })
    rmSync(out, { recursive: true })
    await expect(exported(['nothing'], { to: out })).rejects.toThrow(ConfigError)
    // The former export was moved away and not replaced, so it must be restored.
    expect(readdirSync(out).sort()).toEqual(['datapackage.json', 'manifest.json', 'members.parquet'])
    await exported(['incidents'], { to: out })
    expect(readdirSync(folder).filter((name) => name.startsWith('kept'))).toEqual(['kept'])
  })
})

describe('an export', () => {
  test('rejects unknown tables and formats, and suggests the closest name', async () => {
    await expect(exported(['incidentz'])).rejects.toMatchObject({ next: expect.stringContaining('incident') })
    await expect(exported([], { format: 'parket' })).rejects.toMatchObject({
      next: expect.stringContaining('parquet'),
    })
  })

  test('rejects a table whose name is not a valid file name', async () => {
    const other = join(folder, 'other.duckdb')
    const instance = await DuckDBInstance.create(other)
    const connection = await instance.connect()
    await connection.run('create table "../../evil" as select 1 as a')
    await connection.run(`create table "fine" as select '=1' as "=a,b"`)
    connection.closeSync()
    instance.closeSync()
    const out = join(folder, 'evil')
    const run = (names: string[]) =>
      exportWarehouse(listening({ warehouse: other }), names, { to: out, format: 'csv' })
    await expect(run(['../../evil'])).rejects.toThrow(/not a valid file name/)
    expect(existsSync(out)).toBe(false)
    await run(['fine'])
    expect(readFileSync(join(out, 'fine.csv'), 'utf8')).toBe(`"=a,b"\r\n=1\r\n`)
  })
})
