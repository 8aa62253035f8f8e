import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, inject, test } from 'vitest'
import { listReports } from '../../src/report/report-catalog.ts'
import { runReport } from '../../src/report/run.ts'
import { writeReport } from '../../src/report/write.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { openReader } from '../support/storage.ts'
import { rowsOf } from '../support/tables.ts'
import { scratch, warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

/** The files of all reports on a warehouse, by name. */
async function filesOf(
  settle: (connection: DuckDBConnection) => Promise<void>,
): Promise<Record<string, string>> {
  const folder = scratch()
  const reader = await openReader(await warehouseFile(settle), { settings: defaultSettings })
  for (const { name } of listReports('reports'))
    writeReport(await runReport(`reports/${name}.md`, reader), folder, ['html', 'csv'])
  reader.close()
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  return Object.fromEntries(
    files.map((file) => {
      const path = join(file.parentPath, file.name)
      return [path.slice(folder.length), readFileSync(path, 'utf8')]
    }),
  )
}

/** The same company with rows stored in another order. */
async function settleOtherwise(connection: DuckDBConnection): Promise<void> {
  await settleCompany(connection)
  const tables = await rowsOf(
    connection,
    "select table_name from duckdb_tables() where not temporary and schema_name = 'main'",
  )
  for (const { table_name: table } of tables) {
    await connection.run(`create or replace temp table kept as select * from "${table}" order by hash(rowid)`)
    await connection.run(`delete from "${table}"`)
    await connection.run(`insert into "${table}" from kept`)
  }
}

test.runIf(inject('isLarge'))(
  'reports have the same bytes, regardless of the order of stored rows',
  {
    timeout: 120_000,
  },
  async () => {
    const [files, others] = [await filesOf(settleCompany), await filesOf(settleOtherwise)]
    expect(Object.keys(others)).toEqual(Object.keys(files))
    expect(Object.keys(files).length).toBeGreaterThan(30)
    for (const [name, text] of Object.entries(files)) expect([name, others[name]]).toEqual([name, text])
  },
)
