import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type QuarantineOptions, runQuarantine } from '../../../src/cli/quarantine/run-quarantine.ts'
import { resources } from '../../../src/resources/index.ts'
import type { Warehouse } from '../../../src/warehouse/warehouse.ts'
import { listening } from '../../support/console.ts'
import { ownFolder } from '../../support/folder.ts'
import { otherProgram } from '../../support/other-program.ts'
import { epoch, incident } from '../../support/service.ts'
import { openReader, openWarehouse } from '../../support/storage.ts'
import { preparedWarehouse } from '../../support/warehouse.ts'

const folder = ownFolder()
const warehouse = join(folder, 'faultline.duckdb')
beforeAll(() => preparedWarehouse(warehouse, 1))

/** The time at which records arrived, which is later than any time in the records. */
const SEEN = epoch + 86_400
const EVIL = '\u001b]0;owned\u0007\u009b31mred\u202e'

/** Quarantines records, each a second after the previous one, and publishes. */
async function keep(...records: unknown[]) {
  await writing(async ({ db }) => {
    await sql`delete from quarantine`.execute(db)
    for (const [index, record] of records.entries()) {
      const at = new Date((SEEN + index) * 1_000)
      await db
        .insertInto('quarantine')
        .values({
          account_id: 1,
          resource: 'incidents',
          operation: 'incident/list',
          request_id: `r-${index}${EVIL}`,
          path: 'start_time',
          reason: 'expected a 64-bit integer',
          payload: JSON.stringify(record),
          run_id: 4,
          seen_at: at,
          first_seen_at: at,
          times_seen: 2,
        })
        .execute()
    }
  })
}

async function writing(act: (warehouse: Warehouse) => Promise<void>) {
  const opened = await openWarehouse(warehouse, resources, { accountId: 1n })
  await act(opened)
  await opened.publish()
}

async function quarantine(flags: QuarantineOptions = {}) {
  const context = listening({ warehouse })
  const status = await runQuarantine(context, flags)
  return { ...context, status, text: context.results.join('\n') }
}

const unfit = (index: number, more: object = {}) => incident(index, { start_time: 'x', ...more })

describe('the list that `faultline quarantine` prints', () => {
  beforeEach(() => keep(unfit(1, { title: EVIL }), unfit(2), unfit(3)))

  test('shows each record with reason, time and request, newest first', async () => {
    const { text, status } = await quarantine()
    expect(status).toBe(0)
    expect(text).toMatch(/start_time: expected a 64-bit integer/)
    expect(text).toMatch(/2023-11-15 22:13:22Z[\s\S]*2023-11-15 22:13:20Z/)
    expect(text).toMatch(/r-0/)
    expect(text).toContain('3 quarantined records.')
    for (const way of ['--show ID', '--replay', 'sync --full', '--forget ID']) expect(text).toContain(way)
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    for (const line of text.split('\n')) expect(line.length).toBeLessThan(300)
  })

  test('shows at most as many records as `--limit` allows', async () => {
    const { text } = await quarantine({ limit: '1' })
    expect(text).toContain('2 more; --limit 3 shows all.')
    expect(text.match(/start_time:/g)).toHaveLength(1)
    await expect(quarantine({ limit: 'all' })).rejects.toThrow(/whole number/)
  })

  test('contains every field of a record in JSON', async () => {
    const { waiting, records } = JSON.parse((await quarantine({ json: true, limit: '2' })).text)
    expect(waiting).toBe(3)
    expect(records).toHaveLength(2)
    expect(records[0]).toMatchObject({
      resource: 'incidents',
      path: 'start_time',
      times_seen: 2,
      run_id: 4,
      first_seen_at: new Date((SEEN + 2) * 1_000).toISOString(),
    })
    expect(JSON.parse(records[0].payload)).toEqual(JSON.parse(JSON.stringify(unfit(3))))
  })

  test('states the number of records in a warehouse from an older version', async () => {
    const older = join(folder, 'older.duckdb')
    const instance = await DuckDBInstance.create(older)
    const connection = await instance.connect()
    await connection.run(`create table quarantine (run_id bigint, resource varchar, operation varchar,
      request_id varchar, path varchar, reason varchar, payload varchar, seen_at timestamptz)`)
    await connection.run(`insert into quarantine values (1, 'incidents', 'o', 'r', 'p', 'no', '{}', now())`)
    connection.closeSync()
    instance.closeSync()
    const context = listening({ warehouse: older })
    expect(await runQuarantine(context, {})).toBe(0)
    expect(context.results.join('')).toContain('1 quarantined record.')
  })

  test('is read from the published copy while a sync is writing', async () => {
    const writer = await otherProgram(`${warehouse}.sync/1.duckdb`)
    try {
      const { text, notes } = await quarantine()
      expect(text).toContain('3 quarantined records.')
      expect(notes.join()).toMatch(/in use/)
    } finally {
      await writer.kill()
    }
  })
})

test('`faultline quarantine` reports that a warehouse is from a newer version, not that the file is in use', async () => {
  const newer = join(folder, 'newer.duckdb')
  preparedWarehouse(newer, 1)
  const opened = await openWarehouse(newer, resources, { accountId: 1n })
  await opened.publish()
  const instance = await DuckDBInstance.create(`${newer}.sync/1.duckdb`)
  const connection = await instance.connect()
  await connection.run(`insert into faultline_migrations values ('099-from-tomorrow', '2030-01-01')`)
  connection.closeSync()
  instance.closeSync()
  const context = listening({ warehouse: newer })
  await runQuarantine(context, {})
  expect(context.notes.join()).toMatch(/^Account 1 cannot be read \(.* was written by a newer Faultline: /)
  expect(context.notes.join()).not.toMatch(/in use/)
})

describe('a quarantined record', () => {
  test('is shown in full if the first characters of its id are given', async () => {
    await keep(unfit(1, { title: EVIL, description: 'long '.repeat(100) }))
    const { records } = JSON.parse((await quarantine({ json: true })).text)
    const { text } = await quarantine({ show: records[0].id.slice(0, 6) })
    expect(text).toContain('"start_time": "x"')
    expect(text).toContain('long '.repeat(99))
    expect(text).not.toMatch(/[\u001b\u009b\u202e\u0007]/)
    expect(JSON.parse((await quarantine({ show: records[0].id, json: true })).text)).toEqual(records[0])
    await expect(quarantine({ show: 'ffffffffff' })).rejects.toThrow(/no quarantined record/)
    await expect(quarantine({ show: '' })).rejects.toThrow(/no quarantined record/)
  })
})

test('`faultline quarantine --forget` discards only the given record', async () => {
  await keep('not what was promised', unfit(2))
  const { records } = JSON.parse((await quarantine({ json: true })).text)
  const garbage = records.find((one: { payload: string }) => one.payload.includes('promised'))
  const { text, status } = await quarantine({ forget: garbage.id })
  expect(status).toBe(0)
  expect(text).toBe(`Discarded record ${garbage.id} of incidents.`)
  expect((await quarantine()).text).toContain('1 quarantined record.')
  const reader = await openReader(warehouse)
  const { rows } = await reader.query('select count(*)::int from quarantine')
  reader.close()
  expect(rows).toEqual([[1]])
  await expect(quarantine({ forget: garbage.id })).rejects.toThrow(/no quarantined record/)
})

describe('a replay of quarantined records', () => {
  test('loads the valid records and counts the records that remain quarantined', async () => {
    await keep(incident(1, { title: 'fits now' }), unfit(2))
    const { text, status } = await quarantine({ replay: true })
    expect(text).toBe('1 record is now valid and was loaded; 1 still quarantined.')
    expect(status).toBe(1)
    const reader = await openReader(warehouse)
    const { rows } = await reader.query('select title from incidents')
    reader.close()
    expect(rows).toEqual([['fits now']])
    expect((await quarantine()).text).toContain('1 quarantined record.')
  })

  test('publishes nothing if the quarantine is empty', async () => {
    await keep(incident(1))
    expect(JSON.parse((await quarantine({ replay: true, json: true })).text)).toEqual({
      loaded: 1,
      outdated: 0,
      waiting: 0,
      published: true,
    })
    const before = readFileSync(warehouse)
    const { text, status } = await quarantine({ replay: true })
    expect(status).toBe(0)
    expect(text).toBe('0 records are now valid and were loaded; 0 still quarantined.')
    expect(readFileSync(warehouse).equals(before)).toBe(true)
  })

  test('fails immediately while a sync is writing', async () => {
    const opened = await openWarehouse(warehouse, resources, { accountId: 1n })
    try {
      await expect(quarantine({ replay: true })).rejects.toThrow(/Another sync is writing/)
    } finally {
      await opened.close()
    }
  })

  test('fails if no warehouse exists', async () => {
    const context = listening({ warehouse: join(folder, 'none.duckdb') })
    await expect(runQuarantine(context, { replay: true })).rejects.toThrow(/No warehouse found/)
    await expect(runQuarantine(context, {})).rejects.toThrow(/No warehouse found/)
  })
})
