import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inOrder } from '../../src/definitions/definition-order.ts'
import { parseViewFile, withInherited } from '../../src/definitions/view-file.ts'
import { applyViews, viewFiles } from '../../src/definitions/views.ts'
import { WarehouseError } from '../../src/errors.ts'
import { resources } from '../../src/resources/index.ts'
import { createTables as createRealTables } from '../../src/warehouse/schema/create.ts'
import { createTables, rowsOf } from '../support/tables.ts'

let connection: DuckDBConnection
const files = viewFiles()
const relations = files.filter(({ kind }) => kind !== 'macro')

test('stored SQL qualifies relation names, because DuckDB before 1.4 confuses them with CTEs', () => {
  const circular = /(\w+) as (not materialized )?\(select [^()]*? from \1[\s)]/
  const files = viewFiles()
  expect(files.filter(({ body }) => circular.test(body)).length).toBeGreaterThan(20)
  expect(files.filter(({ stored }) => circular.test(stored)).map(({ file }) => file)).toEqual([])
})

describe('the folder `sql/`', () => {
  beforeAll(async () => {
    connection = await createTables()
    await applyViews(connection)
  })

  test('is sorted so that no definition uses a later definition', async () => {
    const ordered = await inOrder(connection, files)
    expect(ordered.map(({ name }) => name).sort()).toEqual(files.map(({ name }) => name))
    for (const [at, { file, body }] of ordered.entries()) {
      const later = ordered
        .slice(at)
        .filter((other) => new RegExp(`\\b(from|join) ${other.name}\\b`).test(body))
      expect(
        later.filter((other) => other.file !== file).map((other) => `${file} uses ${other.file}`),
      ).toEqual([])
    }
  })

  test.each(files)('has lower-case SQL with the required last line in $file', ({ file, kind, body }) => {
    const code = body.replaceAll(/--.*$/gm, '').replaceAll(/'[^']*'/g, '')
    expect(code).toBe(code.toLowerCase())
    const said = `${file}: name its last step: \`with final as (…) select * from final\``
    if (kind !== 'macro') expect(body.split('\n').at(-1), said).toBe('select * from final')
  })

  test('contains exactly three relations that return rows for an empty warehouse', async () => {
    for (const { name, kind, file } of relations) {
      const rows = await rowsOf(connection, `from ${name}${kind === 'view' ? '' : '()'}`)
      const always = ['survival_summary', 'resolve_time', 'rhythm'].includes(name)
      const said = always
        ? `${file}: ${name} has no row in an empty warehouse: take it out of the list in this test`
        : `${file}: ${name} has a row in an empty warehouse, a total of nothing. End its grouping with ` +
          '`having count(*) > 0`, as sql/metrics/self-heal.sql does'
      expect(rows.length > 0, said).toBe(always)
    }
  })

  test('defines a database comment for every view, macro and column', async () => {
    const described = await rowsOf(
      connection,
      `select view_name as name, comment from duckdb_views() where not internal
      union all select function_name, comment from duckdb_functions() where not internal and function_type like '%macro'`,
    )
    expect(described.map(({ name }) => name).sort()).toEqual(files.map(({ name }) => name).sort())
    expect(described.filter(({ comment }) => !comment)).toEqual([])
    const columns = await rowsOf(
      connection,
      `select table_name, column_name, comment from duckdb_columns()
      where table_name in (select view_name from duckdb_views() where not internal)`,
    )
    expect(columns.length).toBeGreaterThan(100)
    expect(columns.filter(({ comment }) => !comment)).toEqual([])
  })

  test.each(files.filter(({ kind }) => kind !== 'view'))(
    'describes every column and parameter in $file',
    async ({ name, kind, file, columns }) => {
      const parameters = await rowsOf(
        connection,
        `select unnest(parameters) as name from duckdb_functions() where function_name = '${name}'`,
      )
      const result =
        kind === 'macro'
          ? []
          : await rowsOf(connection, `select column_name as name from (describe from ${name}())`)
      const names = [...parameters, ...result].map((row) => String(row.name))
      const gone = [...columns.keys()].filter((described) => !names.includes(described))
      expect(gone.map((one) => `${file}: it has no ${one}: take that out of its head`)).toEqual([])
      const silent = names.filter((one) => !columns.has(one))
      const ofIncidents = files.find((file) => file.name === 'incident_times')!.columns
      const isKnown = (one: string) =>
        parameters.some((row) => row.name === one)
          ? files.some((file) => file.columns.get(one)?.startsWith('parameter: '))
          : ['incidents_in', 'incident_facets'].includes(name) && ofIncidents.has(one)
      const unsaid = silent.filter((one) => !isKnown(one))
      expect(
        unsaid.map((one) => `${file}: write a line \`-- ${one}: …\` below \`-- columns:\` in its head`),
      ).toEqual([])
    },
  )
})

describe('applyViews', () => {
  beforeEach(async () => {
    connection = await createTables()
  })

  test('creates all views on the tables that the program creates', async () => {
    const real = await (await DuckDBInstance.create(':memory:')).connect()
    await real.run(`set TimeZone = 'UTC'`)
    await createRealTables(real, resources)
    const columns = `select table_name, column_name, data_type from duckdb_columns() where schema_name = 'main'`
    const known = (await rowsOf(real, columns)).map((row) => JSON.stringify(row))
    const assumed = (await rowsOf(connection, columns)).map((row) => JSON.stringify(row))
    expect(assumed.filter((column) => !known.includes(column))).toEqual([])
    expect(await rowsOf(real, 'from data_quality')).toEqual([])
  })

  test('can run again after a column was added to a table', async () => {
    await applyViews(connection)
    await connection.run('alter table incidents add column surprise varchar')
    expect(await rowsOf(connection, 'from incident_times')).toEqual([])
    await applyViews(connection)
    expect(await rowsOf(connection, 'from data_quality')).toEqual([])
  })

  test('reports the SQL file that failed, and changes nothing in the database', async () => {
    const good = parseViewFile('sql/good.sql', "-- It's good.\n-- columns:\n-- a: one\nselect 1 as a")
    const bad = parseViewFile('sql/bad.sql', '-- Bad.\nselect * from nowhere')
    await expect(applyViews(connection, [good, bad])).rejects.toThrow(/sql\/bad\.sql failed:.*nowhere/s)
    await expect(connection.run('from good')).rejects.toThrow()
    await applyViews(connection, [good])
    expect(await rowsOf(connection, "select comment from duckdb_views() where view_name = 'good'")).toEqual([
      { comment: "It's good." },
    ])
  })

  test('refuses a comment on a column that does not exist', async () => {
    const view = parseViewFile('sql/typo.sql', '-- A typo.\n-- columns:\n-- b: not a\nselect 1 as a')
    await expect(applyViews(connection, [view])).rejects.toThrow(/typo\.sql/)
  })

  test('reports the SQL file that failed, even if the connection was lost', async () => {
    const gone = {
      run: (sql: string) => (sql.startsWith('begin') ? Promise.resolve() : Promise.reject(new Error('gone'))),
      runAndReadAll: (sql: string) => connection.runAndReadAll(sql),
    }
    await expect(applyViews(gone, files)).rejects.toThrow(/sql\/incidents\/.*failed: gone/)
  })
})

describe('a file in `sql/`', () => {
  test.each([
    ['1-view.sql', '-- Text.\nselect 1', /form view-name\.sql/],
    ['View.sql', '-- Text.\nselect 1', /form view-name\.sql/],
    ['view.sql', 'select 1', /does not begin with a comment/],
    ['view.sql', '-- columns:\n-- a: b\nselect 1', /does not begin with a comment/],
    ['view.sql', '-- Text.', /contains no SQL/],
    ['view.sql', '-- Text.\n-- columns:\n-- just words\nselect 1', /"just words" is not/],
    ['view.sql', '-- Text.\n-- columns:\n-- a: b\n-- a: c\nselect 1', /described twice/],
    ['view.sql', '-- Text.\n-- rule: just words\nselect 1', /"rule: just words" is not/],
    ['view.sql', '-- Text.\ndrop table incidents', /neither a view nor the macro view/],
    ['view.sql', '-- Text.\ncreate or replace macro other() as 1', /neither a view nor the macro view/],
  ])('is rejected if it is named %s and contains %j', (file, text, reason) => {
    expect(() => parseViewFile(file, text)).toThrow(reason)
    expect(() => parseViewFile(file, text)).toThrow(WarehouseError)
  })

  test('inherits column descriptions from the relation named in its header', () => {
    const parsed = (name: string, columns: string) =>
      parseViewFile(`sql/${name}.sql`, `-- Text.\n-- columns:\n${columns}\nselect 1 as a, 2 as b`)
    const files = [
      parsed('first', '-- a: one\n-- b: two'),
      parsed('second', '-- see first: a,\n--   b'),
      parsed('third', '-- see second: a\n-- b: another'),
    ]
    expect(withInherited(files).map(({ columns }) => [...columns])).toEqual([
      [
        ['a', 'one'],
        ['b', 'two'],
      ],
      [
        ['a', 'one'],
        ['b', 'two'],
      ],
      [
        ['a', 'one'],
        ['b', 'another'],
      ],
    ])
    for (const columns of ['-- see nothing: a', '-- see first: c', '-- see fourth: a'])
      expect(() => withInherited([...files, parsed('fourth', columns)])).toThrow(
        /sql\/fourth\.sql cannot be used: its column [ac] has no description/,
      )
  })

  test('cannot define the same name as another file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'views-'))
    const url = pathToFileURL(`${folder}/`)
    for (const subject of ['a', 'b']) {
      mkdirSync(join(folder, subject))
      writeFileSync(join(folder, subject, 'same.sql'), '-- Text.\nselect 1')
    }
    expect(() => viewFiles(url)).toThrow(/a\/same\.sql and sql\/b\/same\.sql both define same/)
    expect(() => viewFiles(new URL('none/', url))).toThrow(/cannot be read/)
  })
})
