import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { privacyRules } from '../../src/config/privacy-section.ts'
import { verifyInLake } from '../../src/lake/lake-tables.ts'
import { maintain } from '../../src/lake/maintain-lake.ts'
import { resources } from '../../src/resources/index.ts'
import { withPrivacy } from '../../src/resources/privacy/with-privacy.ts'
import type { Lake } from '../../src/settings/lake.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { rewriteStoredData } from '../../src/sync/apply-privacy.ts'
import { hasLake, postgresOfTests } from '../support/lake.ts'
import { networkTo } from '../support/network-cut.ts'
import { openReader, openUnderRules, openWarehouse, publishedAt } from '../support/storage.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const postgres = postgresOfTests()

async function publish(lake: Lake, accountId: bigint, member_name: string, known = resources) {
  const warehouse = await openUnderRules(lake, known, { accountId })
  await warehouse.db.deleteFrom('members').execute()
  const values = {
    account_id: accountId,
    member_id: 5n,
    member_name,
    email: `${member_name}@plain.example`,
  }
  await warehouse.db.insertInto('members').values(values).execute()
  await warehouse.publish()
}

async function membersAt(lake: Lake, at?: bigint | Date): Promise<unknown[]> {
  const reader = await openReader(lake, { settings: defaultSettings, at })
  try {
    return (await reader.query('select member_name from members order by account_id')).rows.flat()
  } finally {
    reader.close()
  }
}

const stored = (lake: Lake) =>
  readdirSync(lake.data, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
const newest = (database: string) =>
  BigInt(postgres.ask(database, 'select max(snapshot_id) from ducklake_snapshot'))
/** Makes all records and files of the lake some days older. */
function age(database: string, lake: Lake, days: number) {
  postgres.ask(
    database,
    `update ducklake_snapshot set snapshot_time = snapshot_time - interval '${days} days';
    update ducklake_files_scheduled_for_deletion set schedule_start = schedule_start - interval '${days} days'`,
  )
  const then = Date.now() / 1_000 - days * 86_400
  for (const file of stored(lake)) utimesSync(file, then, then)
}

/** The files of the store and of a machine, and the catalog, if they contain a text. */
function holding(machine: Lake, database: string, text: string): string[] {
  const work = readdirSync(machine.work).map((file) => join(machine.work, file))
  const found = [...stored(machine), ...work].filter((file) => readFileSync(file).includes(text))
  return postgres.dump(database).includes(text) ? [...found, 'catalogue'] : found
}

describe.runIf(hasLake)('maintenance of a lake', () => {
  test('retains snapshots for the configured time, then removes their files', async () => {
    const lake = postgres.lake('states')
    await publish(lake, 1n, 'first')
    const first = newest('states')
    age('states', lake, 3)
    await publish(lake, 1n, 'second')
    expect(await membersAt(lake)).toEqual(['second'])
    expect(await membersAt(lake, first)).toEqual(['first'])
    expect(await membersAt(lake, new Date(Date.now() - 86_400_000))).toEqual(['first'])
    await expect(membersAt(lake, 999n)).rejects.toThrow(/has no snapshot 999/)
    await expect(membersAt(lake, new Date(0))).rejects.toThrow(/has no snapshot of 1970/)
    // A dead process left this file, which no snapshot references.
    const orphan = join(lake.data, 'main', 'orphan.parquet')
    writeFileSync(orphan, readFileSync(stored(lake)[0]!))
    // Maintenance uses PostgreSQL's clock, because that of this machine may be wrong.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 86_400_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await maintain(lake, 7)).toMatchObject({ expired: 0 })
    vi.useRealTimers()
    expect(await membersAt(lake, first)).toEqual(['first'])
    expect(existsSync(orphan)).toBe(true)
    age('states', lake, 7)
    const before = stored(lake).length
    expect((await maintain(lake, 7)).expired).toBeGreaterThan(0)
    age('states', lake, 2)
    expect((await maintain(lake, 7)).removed).toBeGreaterThan(0)
    expect(existsSync(orphan)).toBe(false)
    expect(stored(lake).length).toBeLessThan(before)
    await expect(membersAt(lake, first)).rejects.toThrow(/has no snapshot/)
    expect(await membersAt(lake)).toEqual(['second'])
    expect(await verifyInLake(lake, 1n)).toEqual([])
    await publish(lake, 1n, 'third')
    expect(await membersAt(lake)).toEqual(['third'])
  })

  test('does not wait for locks of a machine that was cut off during maintenance', async () => {
    const network = await networkTo(postgres.port)
    onTestFinished(network.close)
    const [slow, other] = [postgres.lake('cut', {}, network.port), postgres.lake('cut')]
    // Otherwise, a failure would be a wait without an end.
    postgres.ask('cut', `alter database cut set lock_timeout = '20s'`)
    await publish(other, 1n, 'first')
    await publish(other, 1n, 'second')
    await maintain(other, 0)
    age('cut', other, 3)
    const cut = network.cutAfter(/delete from [^;]{0,40}ducklake_files_scheduled_for_deletion/i)
    const late = maintain(slow, 0).catch(String)
    expect(await Promise.race([cut, late])).toBeUndefined()
    postgres.endLeases('cut')
    expect((await maintain(other, 0)).removed).toBeGreaterThan(0)
    network.heal()
    expect(await late).toContain('cannot be used')
  })

  test('leaves no unredacted value in store, catalog or working files after the privacy rules changed', async () => {
    const [lake, other] = [postgres.lake('rules'), postgres.lake('rules')]
    for (const account of [1n, 2n]) {
      await publish(lake, account, `PLAINSECRET${account} before`)
      await publish(lake, account, `PLAINSECRET${account}`)
    }
    const holders = () => holding(lake, 'rules', 'PLAINSECRET')
    expect(holders()).toContain('catalogue')
    const strict = withPrivacy(
      resources,
      privacyRules({ drop: ['members.member_name', 'members.email'], hash: [] }, undefined, undefined),
    )
    const held = await openWarehouse(other, resources, { accountId: 2n })
    await expect(rewriteStoredData(publishedAt(lake), strict)).rejects.toThrow(
      /rules were changed, and Account 2 .* is leased/,
    )
    await held.close()
    await rewriteStoredData(publishedAt(lake), strict)
    expect(holders()).toEqual([])
    expect(await membersAt(lake)).toEqual([null, null])
    // A machine with the former rules shows no plain values either.
    await expect(publish(other, 1n, 'PLAINSECRET again')).rejects.toThrow(/other privacy rules/)
    expect(holders()).toEqual([])
    // Rows are still stored under the former rules. Only the sync can apply the new ones.
    await openUnderRules(lake, strict, { accountId: 1n }).then((warehouse) => warehouse.publish())
    expect(holders()).toEqual([])
    expect(await verifyInLake(lake, 2n)).toEqual([])
  })

  test('leaves no row of a removed account in store, catalog or working files', async () => {
    const [lake, other] = [postgres.lake('removed'), postgres.lake('removed')]
    for (const member of ['PLAINSECRET before', 'PLAINSECRET']) {
      await publish(lake, 1n, member)
      await publish(lake, 2n, member.replace('PLAIN', 'OTHER'))
    }
    await publish(other, 1n, 'PLAINSECRET elsewhere')
    const holders = (machine: Lake, text: string) => holding(machine, 'removed', text)
    expect(holders(lake, 'PLAINSECRET')).toContain('catalogue')
    const removed = { accountId: 1n, name: null }
    const held = await openWarehouse(other, resources, { accountId: 1n })
    await expect(publishedAt(lake).remove(removed)).rejects.toThrow(/Account 1 .* is leased by/)
    await held.close()
    await publishedAt(lake).remove(removed)
    expect(holders(lake, 'PLAINSECRET')).toEqual([])
    expect(await membersAt(lake)).toEqual(['OTHERSECRET'])
    expect(await verifyInLake(lake, 2n)).toEqual([])
    // The same command must run on the other machine to remove its files.
    expect(holders(other, 'PLAINSECRET')).toEqual([join(other.work, '1.duckdb')])
    await publishedAt(other).remove(removed)
    expect(holders(other, 'PLAINSECRET')).toEqual([])
    await publish(lake, 1n, 'again')
    // The column statistics of the catalog remain valid for rows that were not rewritten.
    const reader = await openReader(lake, { settings: defaultSettings })
    expect((await reader.query('select member_name from members where account_id > 1')).rows).toEqual([
      ['OTHERSECRET'],
    ])
    reader.close()
    await publish(lake, 2n, 'third')
    expect(await membersAt(lake)).toEqual(['again', 'third'])
  })
})
