import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { FaultlineError } from '../../src/errors.ts'
import { resources } from '../../src/resources/index.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import type { WarehouseLocation } from '../../src/settings/warehouse-location.ts'
import { DamagedFile } from '../../src/warehouse/file/damage.ts'
import { NoWarehouse } from '../../src/warehouse/file/files.ts'
import type { Rewriting } from '../../src/warehouse/file/rewrite.ts'
import type { Published } from '../../src/warehouse/published.ts'
import { publishAll, type Warehouse } from '../../src/warehouse/warehouse.ts'
import { openReader, openWarehouse, publishedAt } from '../support/storage.ts'
import { preparedWarehouse, scratch } from '../support/warehouse.ts'
import { definitions } from './definitions-conformance.ts'

/** A store that implements `Published`. */
interface Keeper {
  /** A separate place without a published copy. */
  fresh(name: string): WarehouseLocation
  /** The optional operations that the store supports. */
  readonly can: Readonly<Record<'maintain' | 'repair' | 'putBack' | 'shareJobs', boolean>>
}

/** Tests of every store that implements `Published`. Call in a separate `describe`. */
export function conformance(keeper: Keeper): void {
  before(keeper)
  publishing(keeper)
  holding(keeper)
  workingFiles(keeper)
  changing(keeper)
  reading(keeper)
  definitions(keeper.fresh)
  abilities(keeper)
}

async function written(place: WarehouseLocation, accountId: bigint, title: string): Promise<Warehouse> {
  const { files } = publishedAt(place)
  if (!existsSync(join(files.folder, `${accountId}.duckdb`))) preparedWarehouse(place, accountId)
  const warehouse = await openWarehouse(place, resources, { accountId })
  await sql`delete from incidents`.execute(warehouse.db)
  const row = { account_id: accountId, incident_id: 'i', title }
  await warehouse.db.insertInto('incidents').values(row).execute()
  await warehouse.db
    .updateTable('accounts')
    .set({ name: `Company ${accountId}` })
    .execute()
  return warehouse
}

async function publish(place: WarehouseLocation, accountId: bigint, title: string): Promise<void> {
  await (await written(place, accountId, title)).publish()
}

/** The title of each account's incident, as readers see it. */
async function titles(place: WarehouseLocation): Promise<Record<string, unknown>> {
  const reader = await openReader(place, { settings: defaultSettings })
  const { rows } = await reader.query('select account_id, title from incidents').finally(reader.close)
  return Object.fromEntries(rows.map(([account, title]) => [String(account), title]))
}

async function all<One>(items: AsyncIterable<One>): Promise<One[]> {
  const found: One[] = []
  for await (const one of items) found.push(one)
  return found
}

function before({ fresh }: Keeper): void {
  test('a warehouse that was never published is reported as empty', async () => {
    const place = fresh('nothing')
    const published = publishedAt(place)
    expect(published.name).toBe(String(place))
    expect(await published.isThere()).toBe(false)
    expect(await published.state()).toBeUndefined()
    expect(await published.accounts()).toEqual(new Map())
    expect(await published.inside('nothing', async () => 'something')).toBe('nothing')
    await expect(published.open()).rejects.toThrow(NoWarehouse)
    const checked = await all(published.verify())
    expect(checked).toEqual([{ part: expect.any(String), error: expect.any(NoWarehouse) }])
    expect(await published.adopt()).toBeUndefined()
  })
}

function publishing({ fresh }: Keeper): void {
  test('readers see an account as last published, whatever happens to other accounts', async () => {
    const place = fresh('accounts')
    const published = publishedAt(place)
    await publish(place, 1n, 'one')
    const reader = await openReader(place, { settings: defaultSettings })
    const state = await published.state()
    expect([typeof state, await published.state()]).toEqual(['string', state])
    expect(
      await publishAll([await written(place, 1n, 'one again'), await written(place, 2n, 'two')], resources),
    ).toEqual([undefined, undefined])
    expect(await published.state()).not.toBe(state)
    // A reader opened before the publication still sees the former content.
    expect((await reader.query('select title from incidents')).rows).toEqual([['one']])
    reader.close()
    await (await written(place, 1n, 'one, in part')).close()
    expect(await titles(place)).toEqual({ 1: 'one again', 2: 'two' })
    expect(await published.isThere()).toBe(true)
    expect(await published.accounts()).toEqual(
      new Map([
        [1n, 'Company 1'],
        [2n, 'Company 2'],
      ]),
    )
    expect(await all(published.verify())).not.toContainEqual(
      expect.objectContaining({ error: expect.anything() }),
    )
    for (const path of published.ownPaths) if (existsSync(path)) expect(statSync(path).mode & 0o077).toBe(0)
  })

  test('an account that must not be published does not block other accounts', async () => {
    const place = fresh('refused')
    await publish(place, 1n, 'one')
    const both = [await written(place, 2n, 'two'), await written(place, 3n, 'three')]
    await both[0]!.db.insertInto('faultline_meta').values({ key: 'privacy', value: 'others' }).execute()
    const [refused, none] = await publishAll(both, resources)
    expect(refused).toMatchObject({
      message: expect.stringMatching(/other privacy rules/),
      next: expect.any(String),
    })
    expect(none).toBeUndefined()
    expect(await titles(place)).toEqual({ 1: 'one', 3: 'three' })
  })
}

function holding({ fresh }: Keeper): void {
  test('an account has only one writer until that writer releases the account', async () => {
    const place = fresh('held')
    const published = publishedAt(place)
    mkdirSync(published.files.folder, { recursive: true })
    const { release } = await published.lease(1n)
    const others = publishedAt(place)
    await expect(others.lease(1n)).rejects.toMatchObject({
      message: expect.stringMatching(/account 1 /i),
      next: expect.stringMatching(/Wait for it to end/),
    })
    await expect(others.remove({ accountId: 1n, name: null })).rejects.toThrow(/account 1 /i)
    await (await others.lease(2n)).release()
    await release()
    await (await others.lease(1n)).release()
  })
}

function workingFiles({ fresh }: Keeper): void {
  test('a missing or damaged working file is restored from the published copy, without the data of other accounts', async () => {
    const place = fresh('restored')
    const published = publishedAt(place)
    expect(
      await publishAll([await written(place, 1n, 'one'), await written(place, 2n, 'two')], resources),
    ).toEqual([undefined, undefined])
    const working = join(published.files.folder, '2.duckdb')
    writeFileSync(working, 'no database'.repeat(2_000))
    const damage = new DamagedFile(working, new Error('Corrupt'))
    expect(await published.heal(damage)).toMatch(/2\.duckdb was damaged.*\.aside/)
    for (let turn = 0; turn < 2; turn++) {
      const warehouse = await openWarehouse(place, resources, { accountId: 2n })
      const { rows } = await sql`select account_id, title from incidents`.execute(warehouse.db)
      await warehouse.close()
      expect(rows).toEqual([{ account_id: 2n, title: 'two' }])
      rmSync(working)
    }
    const other = new DamagedFile(join(published.files.folder, 'other'), new Error('Corrupt'))
    await expect(published.heal(other)).rejects.toBe(other)
  })
}

function changing({ fresh }: Keeper): void {
  const hiding: Rewriting & { readonly rules: string } = {
    rules: '',
    async isNeeded(db) {
      const found = await db.selectFrom('incidents').select('title').where('title', '<>', 'hidden').execute()
      return found.length > 0
    },
    async change(db) {
      await db.updateTable('incidents').set({ title: 'hidden' }).execute()
    },
  }

  test('a rewrite of stored data covers all accounts, and is rejected during a sync', async () => {
    const place = fresh('changed')
    const published = publishedAt(place)
    await published.rewrite(hiding, resources)
    expect(await published.isThere()).toBe(false)
    for (const account of [1n, 2n]) await publish(place, account, 'PLAIN TEXT')
    const { release } = await published.lease(2n)
    await expect(publishedAt(place).rewrite(hiding, resources)).rejects.toThrow(/account 2 /i)
    await release()
    await published.rewrite(hiding, resources)
    expect(await titles(place)).toEqual({ 1: 'hidden', 2: 'hidden' })
    for (const account of [1, 2])
      expect(readFileSync(join(published.files.folder, `${account}.duckdb`)).includes('PLAIN TEXT')).toBe(
        false,
      )
  })

  test('a removed account is deleted with its working file, without changes to other accounts', async () => {
    const place = fresh('removed')
    const published = publishedAt(place)
    for (const account of [1n, 2n]) await publish(place, account, `of ${account}`)
    const left = await published.remove({ accountId: 1n, name: 'Company 1' })
    expect(left === undefined || /each machine/.test(left)).toBe(true)
    expect(await titles(place)).toEqual({ 2: 'of 2' })
    expect([...(await published.accounts()).keys()]).toEqual([2n])
    expect(existsSync(join(published.files.folder, '1.duckdb'))).toBe(false)
    await publish(place, 1n, 'new')
    expect(await titles(place)).toEqual({ 1: 'new', 2: 'of 2' })
  })
}

function reading({ fresh }: Keeper): void {
  test('a reader can write files only below its export folder', async () => {
    const place = fresh('read')
    await publish(place, 1n, 'one')
    const [folder, elsewhere] = [scratch(), scratch()]
    const opened = await publishedAt(place).open({ writing: { folder, store: undefined } })
    const connection = await opened.connect()
    const copy = (to: string) => connection.run(`copy (select title from incidents) to '${to}/titles.csv'`)
    await copy(folder)
    expect(readFileSync(join(folder, 'titles.csv'), 'utf8')).toBe('title\none\n')
    await expect(copy(elsewhere)).rejects.toThrow(/Permission|disabled/)
    await expect(connection.run('delete from incidents')).rejects.toThrow(/read-only/)
    connection.closeSync()
    opened.close()
    expect(await titles(place)).toEqual({ 1: 'one' })
  })

  test('a report that is sent twice under one key is recorded once', async () => {
    const { deliveries } = publishedAt(fresh('sent'))
    const message = { key: "k'1", report: "my 'report", due: '2026-11-23T06:30:00.000Z' }
    expect(await deliveries.sent(message.report)).toEqual(new Map())
    for (const key of [message.key, message.key, 'k2']) await deliveries.note({ ...message, key })
    await deliveries.note({ ...message, key: 'k3', report: 'another' })
    const sent = await deliveries.sent(message.report)
    expect([...sent.keys()].sort()).toEqual([message.key, 'k2'])
    expect(Date.parse(sent.get('k2')!)).toBeGreaterThan(Date.parse('2026-01-01'))
  })
}

function abilities({ fresh, can }: Keeper): void {
  const refusals: Record<'maintain' | 'repair' | 'putBack', RegExp> = {
    maintain: /`lake maintain` only applies to a lake/,
    repair: /`lake maintain` only applies to a lake/,
    putBack: /`restore` only applies to a file/,
  }
  const words = async (published: Published, what: keyof typeof refusals) =>
    published[what]().then(
      () => 'done',
      (error: unknown) => (error instanceof FaultlineError ? error.message : Promise.reject(error)),
    )

  test('an operation that the store does not support is rejected with a clear message', async () => {
    const place = fresh('abilities')
    const published = publishedAt(place)
    await publish(place, 1n, 'one')
    await publish(place, 1n, 'two')
    for (const what of ['maintain', 'repair', 'putBack'] as const)
      expect(await words(published, what)).toMatch(can[what] ? /^done$/ : refusals[what])
    expect(await titles(place)).toEqual({ 1: can.putBack ? 'one' : 'two' })
    expect(published.jobs !== undefined).toBe(can.shareJobs)
    expect((await published.jobs?.read())?.jobs.size).toBe(can.shareJobs ? 0 : undefined)
    const size = published.size()
    expect(size === null || size > 0).toBe(true)
    const { bytes, what } = published.space()
    expect(bytes).toBeGreaterThanOrEqual(
      statSync(join(published.files.folder, '1.duckdb'), { throwIfNoEntry: false })?.size ?? 0,
    )
    expect(what).toMatch(/^\w+ing|^the /)
  })
}
