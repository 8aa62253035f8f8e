import type { DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { tablesOf } from '../../../src/definitions/tables.ts'
import { folderRuleStatus } from '../../../src/resources/folder-rule-status.ts'
import { resources } from '../../../src/resources/index.ts'
import type { Resource } from '../../../src/resources/resource.ts'
import { createStaging } from '../../../src/warehouse/load/staging.ts'
import { type UpsertCounts, upsert } from '../../../src/warehouse/load/upsert.ts'
import { databaseOn, inMemory, mergeInto, rowsOf, things } from '../sample-resource.ts'

type Thing = Record<string, unknown>

let connection: DuckDBConnection
const tables = [things, ...resources].flatMap(tablesOf).map((table) => table.name)
beforeAll(async () => {
  connection = await inMemory([things])
})
beforeEach(async () => {
  for (const table of tables) await connection.run(`delete from ${table}`)
})

/** Merges records as run `run`, which reads them `run` minutes after the epoch. */
function merge(records: readonly Thing[], run: number, resource: Resource = things): Promise<UpsertCounts> {
  return mergeInto(databaseOn(connection), resource, records, {
    runId: run,
    seenAt: run * 60_000,
    accountId: 1n,
  })
}

const written = (inserted: number, replaced: number) => ({ inserted, replaced })

const stored = () =>
  rowsOf(
    connection,
    `select id, title, epoch(updated_at)::int as updated, _run_id::int as run, epoch(_seen_at)::int as seen,
      vanished_at is not null as gone from things order by id`,
  )
const people = () =>
  rowsOf(
    connection,
    'select id, ordinal::int as ordinal, person_id::int as person from thing_people order by all',
  )
const versions = () =>
  rowsOf(
    connection,
    `select id, title, epoch(_seen_at)::int as since, epoch(_replaced_at)::int as until, vanished_at is not null as gone
    from thing_versions order by _replaced_at, id`,
  )

const full = (id: string, more: Thing = {}): Thing => ({
  id,
  title: 'one',
  number: 2n ** 60n,
  updated_at: 100,
  labels: { a: 1 },
  numbers: [1, 2],
  people: [{ person_id: 1 }, { person_id: 2 }],
  some: { where: { deep: 'x' }, roles: [7] },
  ...more,
})

describe('merging records into a table', () => {
  test('replaces a changed record and its child rows, and keeps the previous content as a version', async () => {
    await merge([full('a'), full('b')], 1)
    const changed = full('a', {
      title: 'two',
      updated_at: 200,
      people: [{ person_id: 9 }],
      some: { roles: [] },
    })
    expect(await merge([changed, full('b'), full('c')], 2)).toEqual(written(1, 1))
    expect(await stored()).toMatchObject([
      { id: 'a', title: 'two', run: 2, seen: 120 },
      { id: 'b', title: 'one', run: 1, seen: 60 },
      { id: 'c', title: 'one', run: 2, seen: 120 },
    ])
    expect(await versions()).toEqual([{ id: 'a', title: 'one', since: 60, until: 120, gone: false }])
    expect((await people()).filter(({ id }) => id === 'a')).toEqual([{ id: 'a', ordinal: 0, person: 9 }])
    expect(await rowsOf(connection, 'select id, role_id from thing_roles order by id')).toEqual([
      { id: 'b', role_id: 7n },
      { id: 'c', role_id: 7n },
    ])
  })

  test('detects every change, even in a child row, a null or the last digit', async () => {
    const base = full('a')
    await merge([base], 1)
    const changes: Thing[] = [
      { people: [{ person_id: 2 }, { person_id: 1 }] },
      { people: [{ person_id: 1, met_at: 1 }, { person_id: 2 }] },
      { some: { where: { deep: 'x' }, roles: [7, 7] } },
      { _extra: { sla: 1 } },
      { _extra: undefined },
      { title: null },
      { title: '' },
      { number: 2n ** 60n + 1n },
      { labels: { a: 2 } },
      { labels: null },
      { numbers: [2, 1] },
      { numbers: [] },
      { numbers: [null] },
      { numbers: null },
      { words: [] },
      { words: [''] },
      { words: null },
      { is_on: false },
    ]
    for (const [index, change] of changes.entries()) {
      Object.assign(base, change)
      expect(await merge([base], index + 2), JSON.stringify(Object.keys(change))).toEqual(written(0, 1))
    }
    expect(await versions()).toHaveLength(changes.length)
  })

  test('restores a missing record even if its content is unchanged', async () => {
    await merge([full('a'), full('b')], 1)
    await connection.run(`update things set vanished_at = now() where id = 'a'`)
    expect(await merge([full('a'), full('b')], 2)).toEqual(written(0, 1))
    expect(await stored()).toMatchObject([
      { id: 'a', run: 2, gone: false },
      { id: 'b', run: 1, gone: false },
    ])
    expect(await versions()).toEqual([{ id: 'a', title: 'one', since: 60, until: 120, gone: true }])
    expect(await people()).toHaveLength(4)
  })

  test('leaves no trace if the transaction is rolled back', async () => {
    await merge([full('a')], 1)
    const lost = createStaging(things)
    lost.add([full('a', { title: 'lost' }), full('b')])
    const rolledBack = databaseOn(connection)
      .transaction()
      .execute(async (tx) => {
        await upsert(tx, lost, { runId: 2, seenAt: 0, accountId: 1n })
        throw new Error('no')
      })
    await expect(rolledBack).rejects.toThrow('no')
    expect(await stored()).toMatchObject([{ id: 'a', title: 'one', run: 1 }])
    expect(await versions()).toEqual([])
    expect(await people()).toHaveLength(2)
    expect(await merge([full('b')], 3)).toEqual(written(1, 0))
  })

  test('leaves no temporary tables', async () => {
    await merge([full('a')], 1)
    expect(await rowsOf(connection, `select table_name from duckdb_tables() where temporary`)).toEqual([])
  })

  test('stores the newest of several copies in a batch', async () => {
    const copy = (title: string, updated_at: number | null, more: Thing = {}) =>
      full('a', { title, updated_at, ...more })
    const copies = [
      copy('undated', null),
      copy('newest', 9, { people: [] }),
      copy('later', 9),
      copy('old', 5),
    ]
    expect(await merge([...copies, full('b')], 1)).toEqual(written(2, 0))
    expect(await stored()).toMatchObject([{ id: 'a', title: 'later', updated: 9 }, { id: 'b' }])
    expect(await people()).toHaveLength(4)
    expect(await merge([copy('last', 9), copy('older', 8)], 2)).toEqual(written(0, 1))
    expect(await stored()).toMatchObject([{ title: 'last' }, { id: 'b' }])
  })
})

test('a snapshot row is not stored again for the same snapshot time', async () => {
  const at = (snapshot_at: number, triggered: number | null) => ({
    snapshot_at,
    folder_id: 2n ** 61n,
    folder_name: 'all',
    rule_total: 5,
    triggered_rule_count: triggered,
  })
  expect(await merge([at(100, 1)], 1, folderRuleStatus)).toEqual(written(1, 0))
  expect(await merge([at(100, 1)], 2, folderRuleStatus)).toEqual(written(0, 0))
  expect(await merge([at(200, 1)], 3, folderRuleStatus)).toEqual(written(1, 0))
  expect(await merge([at(200, null)], 4, folderRuleStatus)).toEqual(written(0, 1))
  expect(
    await rowsOf(
      connection,
      'select epoch(snapshot_at)::int as moment, folder_id, triggered_rule_count::int as triggered from folder_rule_status order by moment',
    ),
  ).toEqual([
    { moment: 100, folder_id: 2n ** 61n, triggered: 1 },
    { moment: 200, folder_id: 2n ** 61n, triggered: null },
  ])
})

test.each(resources.map((resource) => [resource.table, resource] as const))(
  'the table %s accepts a record that has only its key',
  async (_, resource) => {
    const fields = resource.key.map((key) => {
      const column = resource.columns.find(({ name }) => name === key)!
      const value = column.type === 'VARCHAR' ? 'k' : 7
      return column.path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value)
    })
    const record: Thing = Object.assign({}, ...fields)
    expect(await merge([record], 1, resource)).toEqual(written(1, 0))
    expect(await merge([record], 2, resource)).toEqual(written(0, 0))
  },
)

describe('merging any series of batches into a table', () => {
  interface Kept {
    readonly record: Thing
    readonly run: number
  }

  const record = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'long enough not to be inline', "'; drop table things; --"),
    title: fc.constantFrom('one', 'two', '', null),
    updated_at: fc.constantFrom(0, 100, 200, 300),
    people: fc.array(fc.record({ person_id: fc.integer({ min: 1, max: 3 }) }), { maxLength: 3 }),
  })
  const batch = fc.uniqueArray(record, { selector: ({ id }) => id })

  test('has the same result as merging one record at a time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 5 }), async (batches) => {
        for (const { name } of tablesOf(things)) await connection.run(`delete from ${name}`)
        const kept = new Map<string, Kept>()
        const former: { id: string; title: unknown; since: number; until: number; gone: boolean }[] = []
        for (const [index, records] of batches.entries()) {
          // There are two batches in each run.
          const run = 1 + Math.floor(index / 2)
          const count = { inserted: 0, replaced: 0 }
          for (const one of records) {
            const other = kept.get(one.id)
            const differs = JSON.stringify(other?.record) !== JSON.stringify(one)
            const older = other?.run === run && one.updated_at < Number(other.record.updated_at)
            if (!differs || older) continue
            if (other)
              former.push({
                id: one.id,
                title: other.record.title,
                since: other.run * 60,
                until: run * 60,
                gone: false,
              })
            count[other ? 'replaced' : 'inserted']++
            kept.set(one.id, { record: one, run })
          }
          expect(await merge(records, run)).toEqual(count)
        }
        const byId = (a: { id?: unknown }, b: { id?: unknown }) => (String(a.id) < String(b.id) ? -1 : 1)
        expect(await stored()).toEqual(
          [...kept.values()]
            .map(({ record: { id, title, updated_at }, run }) => {
              return {
                id,
                title,
                updated: updated_at === 0 ? null : updated_at,
                run,
                seen: run * 60,
                gone: false,
              }
            })
            .sort(byId),
        )
        expect(await people()).toEqual(
          [...kept.values()]
            .sort((a, b) => byId(a.record, b.record))
            .flatMap(({ record: { id, people: list } }) =>
              (list as Thing[]).map(({ person_id }, ordinal) => ({ id, ordinal, person: person_id })),
            ),
        )
        expect(await versions()).toEqual(former.sort((a, b) => a.until - b.until || byId(a, b)))
      }),
      { numRuns: 15 },
    )
  })
})
