import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DuckDBConnection } from '@duckdb/node-api'
import { applyViews } from '../../src/warehouse/views.ts'
import { createTables, fill } from '../sql/tables.ts'

/** A new folder under the system's temporary one. */
export function scratch(): string {
  return mkdtempSync(join(tmpdir(), 'faultline-report-'))
}

const reports = scratch()
let count = 0

/** A report file of its own; `front` is its front matter. */
export function reportFile(body: string, front = 'title: T\nparams: { period: 13 weeks }'): string {
  const file = join(reports, `r${count++}.md`)
  writeFileSync(file, `---\n${front}\n---\n${body}`)
  return file
}

/** A warehouse file with the real views, filled by `settle`; returns its path. */
export async function warehouseFile(
  settle: (connection: DuckDBConnection) => Promise<void>,
): Promise<string> {
  const path = join(scratch(), 'warehouse.duckdb')
  const connection = await createTables()
  await settle(connection)
  await connection.run(`attach '${path.replaceAll("'", "''")}' as file`)
  await connection.run('copy from database memory to file')
  await connection.run('use file')
  await applyViews(connection)
  await connection.run('use memory; detach file')
  connection.closeSync()
  return path
}

const folder = fileURLToPath(new URL('../../../shared/data/uci498/', import.meta.url))

/** Where the 24,918 real incidents lie, or null when they are not beside the checkout. */
export const uci498 = existsSync(folder) ? folder : null

/** Fills the tables with the real incidents. */
export async function settleUci498(connection: DuckDBConnection): Promise<void> {
  const file = (name: string) => `read_ndjson_objects('${folder.replaceAll("'", "''")}${name}.ndjson.gz')`
  for (const table of ['incidents', 'channels', 'teams', 'members'])
    await fill(connection, table, file(table))
}
