import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, test } from 'vitest'
import { inOrder, lineAt, neededBy } from '../../src/definitions/definition-order.ts'
import { type Names, namesIn } from '../../src/definitions/sql-references.ts'
import { parseViewFile } from '../../src/definitions/view-file.ts'
import { viewFiles } from '../../src/definitions/views.ts'

let connection: DuckDBConnection
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect()
})

const namesOf = async (sql: string) => (await namesIn(connection, [{ sql }]))[0] as Names

describe('the references in an SQL statement', () => {
  test.each([
    ['with a as (from x), b as (from a) from b join y using (q)', 'x y'],
    // Inside the CTE `x`, the name `x` still refers to the relation.
    ['with x as (select * from x) from x', 'x'],
    ['with recursive r as (select 1 as a union all select a + 1 from r) from r', ''],
    ['select (with a as (from x) select max(k) from a), (select 1 from a)', 'x max a'],
    ['select k from x where exists (from y) union all by name select k from z', 'x y z'],
    ["from self_heal(of_incidents := 'mine'), lateral (from u) order by p90(v)", 'self_heal mine u p90'],
    ["with mine as (from x) from self_heal(of_incidents := 'mine')", 'x self_heal'],
    ["from main.x where title = 'y' -- z", 'x'],
    ['select SUM(a) from "X"', 'x sum'],
    ['from (values (1)) v(a)', ''],
  ])('are found: %s', async (sql, expected) => {
    const { named } = await namesOf(sql)
    expect(named.map(({ name }) => name).sort()).toEqual(expected.split(' ').filter(Boolean).sort())
  })

  test.each([
    ['select median(tta) as tta, hour as band from s order by band, tta', 's.tta s.hour'],
    ['select team as band from s group by all', 's.team'],
    ['with c as (select ack_time as first_answer from t) select epoch(first_answer) from c', 't.ack_time'],
    ['with c as (from t) select c.ack_time, judged.place from c', 't.ack_time t.judged'],
    ['with c as (select *, 1 as band from t) select band, tta from c', 't.tta'],
    ['select (select max(b) from y where y.c = x.a) from x', 'y.b y.c x.a'],
    ['from a join lateral (select a.k) on true', 'a.k'],
    [
      "with m as (from s) select n, tta from self_heal(of_incidents := 'm')",
      'self_heal.n s.n self_heal.tta s.tta',
    ],
    ['select list_transform(l, lambda w: w.n) from x', 'x.l x.w'],
  ])('include the columns of %s', async (sql, expected) => {
    const { columns } = await namesOf(sql)
    const found = columns.map(({ relation, column }) => `${relation}.${column}`)
    expect(found.sort()).toEqual(expected.split(' ').sort())
  })

  test.each([
    ['describe x', true],
    ['from duckdb_views()', true],
    ['from information_schema.tables', true],
    ["from query_table('a' || 'b')", true],
    ["from query_table('a')", false],
  ])(
    'are marked as incomplete if the relations are unknown until execution: %s → %s',
    async (sql, isOpen) => {
      expect((await namesOf(sql)).isOpen).toBe(isOpen)
    },
  )

  test('are reported as an error unless the statement is a single SELECT', async () => {
    const found = await namesIn(connection, [
      { sql: 'select from' },
      { sql: 'drop table x' },
      { sql: 'from a; from b' },
    ])
    expect(found.map((one) => ('mistake' in one ? one.mistake : ''))).toEqual([
      expect.stringContaining('syntax error'),
      expect.stringContaining('Only SELECT'),
      'it contains 2 statements',
    ])
  })
})

describe('the SQL definitions that a statement needs', () => {
  const files = viewFiles()
  const fileOf = (name: string, body: string) => parseViewFile(`my-sql/${name}.sql`, `-- Text.\n${body}`)

  test('include definitions used indirectly or in parameter defaults', async () => {
    expect(await neededBy(connection, 'select 1 as incident_times', files)).toEqual([])
    const needed = (await neededBy(connection, 'from self_heal()', files)).map(({ name }) => name)
    expect(needed.slice(0, 4)).toEqual(['as_of', 'own_name', 'channel_owners', 'own_incidents'])
    expect(needed).toContain('wilson_interval')
    expect(needed).not.toContain('person_load')
    expect(needed.at(-1)).toBe('self_heal')
    expect(await neededBy(connection, 'describe incidents', files)).toHaveLength(files.length)
    expect(await neededBy(connection, 'pivot incidents on progress', files)).toHaveLength(files.length)
  })

  test('are rejected with file and line if they form a cycle', async () => {
    const circle = [
      fileOf('one', 'select *\nfrom (\n  from two()\n)'),
      fileOf('two', 'create or replace macro two(x := 1) as table\nselect three(x) as y'),
      fileOf('three', 'create or replace macro three(x) as\n\n  (select max(k) from one)'),
    ]
    await expect(inOrder(connection, circle)).rejects.toThrow(
      'These definitions depend on each other in a cycle: my-sql/one.sql, line 4; my-sql/two.sql, line 3; my-sql/three.sql, line 4.',
    )
    await expect(inOrder(connection, [fileOf('self', 'from self')])).rejects.toThrow(
      'my-sql/self.sql, line 2',
    )
  })

  test('have the correct line numbers, even after multi-byte characters', async () => {
    const file = fileOf('a', "with x as (select 'ä😀' as t)\nselect *\nfrom zz")
    const [names] = (await namesIn(connection, [{ sql: file.query.sql }])) as Names[]
    expect(lineAt(file, names!.named[0]!.at)).toBe(4)
  })
})
