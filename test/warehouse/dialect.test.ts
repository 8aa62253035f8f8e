import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { Kysely, sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { DuckDbDialect } from '../../src/warehouse/dialect.ts'
import { inMemory } from './sample-resource.ts'

interface Schema {
  notes: { id: bigint | number; word: string | null }
}

let connection: DuckDBConnection
let db: Kysely<Schema>
beforeEach(async () => {
  connection ??= await inMemory([])
  await connection.run('create or replace table notes (id bigint, word varchar)')
  db = new Kysely<Schema>({ dialect: new DuckDbDialect(connection) })
})

const all = () => db.selectFrom('notes').selectAll().orderBy('id').execute()

describe('Kysely queries', () => {
  test('insert, update and delete, and return the number of rows', async () => {
    const insert = db.insertInto('notes').values([
      { id: 1, word: 'a' },
      { id: 2n ** 62n, word: null },
    ])
    expect((await insert.executeTakeFirst()).numInsertedOrUpdatedRows).toBe(2n)
    const update = db.updateTable('notes').set({ word: 'b' }).where('id', '>=', 1)
    expect((await update.executeTakeFirst()).numUpdatedRows).toBe(2n)
    expect(await all()).toEqual([
      { id: 1n, word: 'b' },
      { id: 2n ** 62n, word: 'b' },
    ])
    const remove = db.deleteFrom('notes').where('id', '=', 2n ** 62n)
    expect((await remove.executeTakeFirst()).numDeletedRows).toBe(1n)
  })

  test('with `returning` return the rows and the number of rows', async () => {
    const result = await db.executeQuery(
      db
        .insertInto('notes')
        .values([
          { id: 1, word: 'a' },
          { id: 2, word: 'b' },
        ])
        .returning('word')
        .compile(),
    )
    expect(result).toEqual({ rows: [{ word: 'a' }, { word: 'b' }], numAffectedRows: 2n })
  })

  test('return their rows even if the query begins with `with`', async () => {
    const query = db
      .with('few', (one) => one.selectFrom('notes').select('id').where('word', 'is not', null))
      .selectFrom('few')
      .select((eb) => eb.fn.countAll().as('n'))
    expect(await query.execute()).toEqual([{ n: 0n }])
    expect((await sql<{ n: number }>`with one as (select 1::int as n) from one`.execute(db)).rows).toEqual([
      { n: 1 },
    ])
  })

  test('do not change question marks and dollar signs inside strings', async () => {
    const { rows } = await sql`select '? $1 ??' as text, '"?"' as quoted, ${'?'} as given`.execute(db)
    expect(rows).toEqual([{ text: '? $1 ??', quoted: '"?"', given: '?' }])
  })

  test('are rejected with the error of DuckDB', async () => {
    await expect(sql`select * from nowhere`.execute(db)).rejects.toThrow(/nowhere does not exist/)
    expect(await all()).toEqual([])
  })
})

describe('query parameters', () => {
  const given = async (value: unknown, type: string) => {
    const { rows } = await sql<{ value: unknown }>`select ${value}::${sql.raw(type)} as value`.execute(db)
    return rows[0]!.value
  }

  test.each([
    [null, 'varchar', null],
    [undefined, 'bigint', null],
    ['it’s "quoted"\0 \n', 'varchar', 'it’s "quoted"\0 \n'],
    [true, 'boolean', true],
    [42, 'bigint', 42n],
    [-0, 'bigint', 0n],
    [1.5, 'double', 1.5],
    [2 ** 60, 'double', 2 ** 60],
    [2n ** 63n - 1n, 'bigint', 2n ** 63n - 1n],
    [new Date('2026-03-29T01:30:00.123Z'), 'timestamptz', new Date('2026-03-29T01:30:00.123Z')],
    [new Date(-1), 'timestamptz', new Date(-1)],
    [[], 'bigint[]', []],
    [[], 'varchar[]', []],
    [[1, 2n ** 62n], 'bigint[]', [1n, 2n ** 62n]],
    [['a', null, 'b'], 'varchar[]', ['a', null, 'b']],
    [[null, 'b'], 'varchar[]', [null, 'b']],
    [[null, null], 'varchar[]', [null, null]],
    [[null, 1], 'bigint[]', [null, 1n]],
    [[new Date(0)], 'timestamptz[]', [new Date(0)]],
    [[[1], []], 'bigint[][]', [[1n], []]],
  ])('can be bound: %o as %s', async (value, type, expected) => {
    expect(await given(value, type)).toEqual(expected)
  })

  test('that contain any text are returned unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.string({ unit: 'grapheme' })),
        async (text, list) => {
          expect(await given(text, 'varchar')).toBe(text)
          expect(await given(list, 'varchar[]')).toEqual(list)
        },
      ),
      { numRuns: 30 },
    )
  })

  test('keep every digit of a 64-bit integer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), async (id) => {
        expect(await given(id, 'bigint')).toBe(id)
        expect(await sql<{ t: string }>`select typeof(${id}) as t`.execute(db)).toMatchObject({
          rows: [{ t: 'BIGINT' }],
        })
      }),
      { numRuns: 20 },
    )
  })

  test('are rejected if they are objects or beyond 64 bits', async () => {
    await expect(given(2n ** 63n, 'bigint')).rejects.toThrow('bigint out of int64 range')
    await expect(given({ a: 1 }, 'varchar')).rejects.toThrow('a parameter of type object cannot be bound')
  })
})

describe('transactions', () => {
  test('are rolled back when they fail, and the next transaction works', async () => {
    const failing = db.transaction().execute(async (tx) => {
      await tx.insertInto('notes').values({ id: 1, word: 'lost' }).execute()
      throw new Error('on purpose')
    })
    await expect(failing).rejects.toThrow('on purpose')
    const wrong = db.transaction().execute(async (tx) => {
      await tx.insertInto('notes').values({ id: 1, word: 'lost' }).execute()
      await sql`select * from nowhere`.execute(tx)
    })
    await expect(wrong).rejects.toThrow(/nowhere/)
    await db.transaction().execute((tx) => tx.insertInto('notes').values({ id: 2, word: 'kept' }).execute())
    expect(await all()).toEqual([{ id: 2n, word: 'kept' }])
  })

  test('report the reason if their commit fails, and the next transaction works', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const [mine, other] = [await instance.connect(), await instance.connect()]
    await mine.run('create table notes (id bigint primary key, word varchar)')
    const shared = new Kysely<Schema>({ dialect: new DuckDbDialect(mine) })
    const failing = shared.transaction().execute(async (tx) => {
      await tx.insertInto('notes').values({ id: 1, word: 'mine' }).execute()
      await other.run(`insert into notes values (1, 'theirs')`)
    })
    await expect(failing).rejects.toThrow(/duplicate key/)
    await shared
      .transaction()
      .execute((tx) => tx.insertInto('notes').values({ id: 2, word: 'next' }).execute())
    expect(await shared.selectFrom('notes').select('word').orderBy('id').execute()).toEqual([
      { word: 'theirs' },
      { word: 'next' },
    ])
  })

  test('of several callers run one after another', async () => {
    const seen: bigint[] = []
    const caller = (first: number) =>
      db.transaction().execute(async (tx) => {
        for (let step = 0; step < 3; step++) {
          await tx
            .insertInto('notes')
            .values({ id: first + step, word: null })
            .execute()
          await new Promise((resolve) => setTimeout(resolve, 1))
        }
        if (first === 20) throw new Error('undone')
      })
    const bystander = async () => {
      const row = await db
        .selectFrom('notes')
        .select((eb) => eb.fn.countAll<bigint>().as('n'))
        .executeTakeFirstOrThrow()
      seen.push(row.n)
    }
    const calls = [caller(10), bystander(), caller(20), bystander(), caller(30), bystander()]
    await Promise.allSettled(calls)
    expect((await all()).map(({ id }) => id)).toEqual([10n, 11n, 12n, 30n, 31n, 32n])
    expect(seen).toEqual([3n, 3n, 6n])
  })
})

describe('streaming a query', () => {
  beforeEach(() => connection.run('insert into notes select range, null from range(10000)'))

  test('returns every row', async () => {
    let expected = 0n
    for await (const { id } of db.selectFrom('notes').select('id').orderBy('id').stream())
      expect(id).toBe(expected++)
    expect(expected).toBe(10_000n)
  })

  test('fails if a late row cannot be computed', async () => {
    // DuckDB computes rows ahead of the reader, so the failing row must come late.
    const rows = sql<{ range: bigint }>`range(1000000)`.as<'rows'>(sql.ref('rows'))
    const number = sql<number>`cast(case when range = 900000 then 'x' else '1' end as int)`
    const read = async () => {
      for await (const _ of db.selectFrom(rows).select(number.as('number')).stream());
    }
    await expect(read()).rejects.toThrow(/Could not convert string 'x'/)
  })

  test('can be ended early, which frees the connection', async () => {
    for await (const { id } of db.selectFrom('notes').select('id').orderBy('id').stream())
      if (id === 3n) break
    expect(await db.selectFrom('notes').select('id').where('id', '=', 9_999).execute()).toEqual([
      { id: 9_999n },
    ])
  })
})
