import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { DuckDBInstance } from '../../src/definitions/duckdb.ts'
import { ConfigError } from '../../src/errors.ts'
import { runReport } from '../../src/page/run-report.ts'
import { resources } from '../../src/resources/index.ts'
import { openWarehouse } from '../../src/sdk/open-warehouse.ts'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import { createTables } from '../../src/warehouse/schema/create.ts'
import { run } from '../support/cli.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

const reopened = `-- Incidents that came back, and their share.
-- rule: Came back: as {repeat_within_s} after the close, by key.
-- columns:
-- started_from: parameter: only incidents started then or later; null is all
-- incidents: how many
-- share: part that came back, 0 to 1
create or replace macro came_back(started_from := null) as table
select count(*) as incidents, avg(is_repeat::int) as share
from incidents_in(of_incidents := 'of_payments', started_from := started_from)
left join repeats_of() using (account_id, incident_id)
`
const payments = `-- Incidents of the team Payments.
-- columns:
-- incident_id: key
from incident_times
where half_a_day(time_to_close_s) is not null
`
const expression = `-- Half days.
-- columns:
-- seconds: parameter: how long
create or replace macro half_a_day(seconds) as seconds / (12 * 3600)
`

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'own-')), 'my-sql')
  mkdirSync(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const own = folderOf({
  'teams/came-back.sql': reopened,
  'of-payments.sql': payments,
  'half-a-day.sql': expression,
  'README.md': 'no SQL',
})
const settingsOf = (folder: string, isPublished = false): Settings => ({
  ...defaultSettings,
  sql: { folder, isPublished },
})

let path: string
beforeAll(async () => {
  path = await warehouseFile(settleCompany)
})

async function toldOf(files: Readonly<Record<string, string>>): Promise<string> {
  const opened = openReader(path, { settings: settingsOf(folderOf(files)) })
  const error = await opened.then(
    (reader) => reader.close(),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ConfigError)
  const { message, next } = error as ConfigError
  return `${message} ${next}`
}

describe('a folder of custom definitions', () => {
  test('can be used in statements and reports without changing the warehouse file', async () => {
    const reader = await openReader(path, { settings: settingsOf(own) })
    expect((await reader.query('select incidents > 0 from came_back()')).rows).toEqual([[true]])
    expect((await reader.query('select half_a_day(43200)')).rows).toEqual([[1]])
    const file = join(mkdtempSync(join(tmpdir(), 'own-')), 'own.md')
    writeFileSync(file, '---\ntitle: Own\n---\n\n```sql own\nselect share from came_back()\n```\n')
    const { counted } = await runReport(file, reader, {})
    const rules = new Map(counted.rules.map(({ term, text }) => [term, text]))
    expect(rules.get('Came back')).toBe('as 7 days after the close, by key.')
    expect(counted.rules.at(-1)!.term).toBe('As of')
    reader.close()
    const plain = await openReader(path, { settings: defaultSettings })
    await expect(plain.query('from of_payments')).rejects.toThrow(/of_payments/)
    plain.close()
  })

  test('can be used by programs through `openWarehouse`', async () => {
    const opened = await openWarehouse(path, { sql: own })
    expect(await opened.query('select count(*) > 0 as n from of_payments')).toEqual([{ n: true }])
    await opened.close()
  })

  test('is stored in the warehouse, with comments, only if the configuration requests storage', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const comments = async () =>
      (
        await connection.runAndReadAll(
          `select view_name, comment from duckdb_views() where view_name = 'of_payments'
           union all select function_name, comment from duckdb_functions() where function_name in ('came_back', 'half_a_day')
           order by 1`,
        )
      ).getRows()
    await createTables(connection, resources, settingsOf(own))
    expect(await comments()).toEqual([])
    await createTables(connection, resources, settingsOf(own, true))
    expect(await comments()).toEqual([
      ['came_back', expect.stringContaining('Rule: Came back: as 7 days')],
      ['half_a_day', 'Half days.'],
      ['of_payments', 'Incidents of the team Payments.'],
    ])
    await connection.run('from came_back()')
    await createTables(connection, resources)
    expect(await comments()).toHaveLength(3)
    await createTables(connection, resources, settingsOf(own))
    expect(await comments()).toEqual([])
    instance.closeSync()
  })

  test.each<[string, Record<string, string>, RegExp]>([
    [
      'a name that sql/ uses',
      { 'a/self-heal.sql': '-- Text.\nselect 1' },
      /my-sql\/a\/self-heal\.sql cannot define self_heal, because the definition in sql\/metrics\/self-heal\.sql has/,
    ],
    [
      'a name of a table',
      { 'incidents.sql': '-- Text.\nselect 1' },
      /cannot define incidents, because a table has/,
    ],
    [
      'a name of a report macro',
      { 'before.sql': '-- Text.\ncreate or replace macro before(x) as x' },
      /because a macro of reports/,
    ],
    [
      'a name of a DuckDB function',
      { 'median.sql': '-- Text.\ncreate or replace macro median(x) as x' },
      /because a function of DuckDB/,
    ],
    [
      'two statements',
      { 'a.sql': '-- Text.\nselect 1; drop table incidents' },
      /my-sql\/a\.sql, line 2: .*(statements|SELECT)/,
    ],
    ['a syntax error', { 'a.sql': '-- Text.\nselect 1\nfrom where' }, /my-sql\/a\.sql, line 3: syntax error/],
    [
      'an unknown relation',
      { 'a.sql': '-- Text.\nselect 1\nfrom incident_tmes' },
      /my-sql\/a\.sql, line 3: unknown table, view or metric "incident_tmes"\. Did you mean "?incident_times/,
    ],
    [
      'an unknown limit',
      { 'a.sql': '-- Text.\n-- rule: Few: none below {p90_min} of them.\nselect 1 as a' },
      /my-sql\/a\.sql: the comment header refers to an unknown limit "p90_min"\. Did you mean "?p90_min_n/,
    ],
    [
      'an unknown rule',
      { 'a.sql': '-- Text.\n-- rule of a: see incident_tmes.time_to_ack_s\nselect 1 as a' },
      /refers to an unknown rule of "incident_tmes\.time_to_ack_s"\. Did you mean "?incident_times/,
    ],
    [
      'an unknown function',
      { 'a.sql': '-- Text.\nselect p9(age_s) from incident_times' },
      /line 2: unknown function "p9"\. Did you mean "?p90/,
    ],
  ])('is rejected if it has %s', async (_, files, told) => {
    expect(await toldOf(files)).toMatch(told)
  })

  test('is rejected with all errors reported together', async () => {
    const told = await toldOf({ 'a.sql': '-- Text.\nfrom nowhere', 'b.sql': '-- Text.\nfrom nobody' })
    expect(told).toMatch(/The custom SQL has errors\.\n.*nowhere.*\n.*nobody/)
    const gone = openReader(path, { settings: settingsOf('/nowhere/my-sql') })
    await expect(gone).rejects.toThrow('The folder of custom SQL does not exist: /nowhere/my-sql.')
  })
})

test('the example of a custom metric in sql/README.md can be queried', async () => {
  const guide = readFileSync(new URL('../../sql/README.md', import.meta.url), 'utf8')
  const [, example = ''] = /## Metrics of your own[\s\S]*?```text\n([\s\S]*?)```/.exec(guide) ?? []
  const folder = folderOf({ 'missed-criticals.sql': example })
  const reader = await openReader(path, { settings: settingsOf(folder) })
  const { rows } = await reader.query('select sum(criticals) > 0, sum(missed) >= 0 from missed_criticals()')
  expect(rows).toEqual([[true, true]])
  reader.close()
})

test('the commands sql, schema, report check and export include custom definitions', async () => {
  const folder = dirname(own)
  mkdirSync(join(folder, 'reports'))
  writeFileSync(
    join(folder, 'reports/mine.md'),
    '---\ntitle: Mine\n---\n\n```sql own\nselect share from came_back()\n```\n\n{{ own.share | percent }}\n',
  )
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify({ warehouse: path, sql: './my-sql', reports: './reports' }))
  const asked = async (...args: string[]) => {
    const ended = await run([...args, '--config', config], {}, folder)
    expect([ended.code, ended.err]).toEqual([0, expect.anything()])
    return ended.out
  }
  expect(await asked('sql', 'select half_a_day(43200) as n', '--format', 'csv')).toContain('1')
  expect(await asked('schema', 'came_back')).toMatch(
    /came_back\(started_from\)[\s\S]*Rule: Came back: as 7 days/,
  )
  await asked('report', 'check', 'mine')
  expect(await asked('export', 'of_payments', '--to', join(folder, 'out'))).toContain('of_payments')
})
