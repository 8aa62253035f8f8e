import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteLiteral } from '../../definitions/quote.ts'
import { appendLines } from '../../effects.ts'
import { makeFolder, type WarehouseFiles } from '../file/files.ts'
import { ledger } from '../schema/ledger-tables.ts'

/** A run of a report. Its fields, and those of its figures, are columns of the table `report_runs`. */
interface ReportRun
  extends Readonly<
      Record<'report' | 'period_from' | 'period_to' | 'timezone' | 'as_of_at' | 'definition', string>
    >,
    Readonly<Record<'account' | 'team' | 'severity', string>> {
  readonly figures: readonly Readonly<
    Record<'figure' | 'label', string> & Record<'value' | 'n', number | null>
  >[]
}

/** Appends a run to a file, because reports cannot write to the warehouse. The next sync loads the file. */
export function noteReportRun(
  files: WarehouseFiles,
  run: ReportRun,
  by: { version: string; now: number },
): void {
  const noted = { ...run, version: by.version, ran_at: new Date(by.now).toISOString() }
  const line = JSON.stringify({ ...noted, check: checkOf(noted) })
  // Creates the folder, which is still missing on a machine that only reads.
  if (dirname(files.reportRuns) === files.folder) makeFolder(files)
  appendLines(files.reportRuns, [line])
}

const table = ledger.find((each) => each.name === 'report_runs')!
const columns = table.columns.map((column) => column.name)

/** Loads new lines of the file into the table `report_runs`. */
export async function foldReportRuns(connection: DuckDBConnection, file: string): Promise<void> {
  const rows = await unknownRows(connection, file)
  if (rows) await connection.run(`insert into report_runs by name ${rows}`)
}

/** Returns statements for a temporary table `report_runs` that includes the new lines of the file. */
export async function temporaryReportRuns(connection: DuckDBConnection, file: string): Promise<string[]> {
  const rows = await unknownRows(connection, file)
  return rows
    ? [`create or replace temp table report_runs as select * from report_runs union all by name ${rows}`]
    : []
}

/** Returns a select of the report runs that the table lacks. */
async function unknownRows(connection: DuckDBConnection, file: string): Promise<string | undefined> {
  const lines = runsIn(file)
  if (lines.length === 0) return undefined
  const hasTable = await connection.runAndReadAll(
    `select 1 from duckdb_tables() where table_name = 'report_runs' and schema_name = 'main' and not temporary`,
  )
  const found = hasTable.currentRowCount
    ? await connection.runAndReadAll('select distinct run_key from report_runs')
    : undefined
  const known = new Set(found?.getRows().map((row) => String(row[0])))
  const rows = lines.filter(({ key }) => !known.has(key)).flatMap(({ key, run }) => figuresOf(key, run))
  if (rows.length === 0) return undefined
  const shape = JSON.stringify([Object.fromEntries(table.columns.map(({ name, type }) => [name, type]))])
  return `select unnest(from_json(${quoteLiteral(JSON.stringify(rows))}::json, ${quoteLiteral(shape)}), recursive := true)`
}

/** Returns the key of a run, a hash of its content. A damaged line does not match its recorded hash. */
function checkOf(run: object): string {
  return createHash('sha256').update(JSON.stringify(run)).digest('hex').slice(0, 24)
}

/** Returns the runs in a file. Ignores damaged lines. */
function runsIn(file: string): { key: string; run: ReportRun }[] {
  return readLines(file).flatMap(({ check, ...line }) => {
    const run = line as unknown as ReportRun
    return check === checkOf(run) && Array.isArray(run.figures) ? [{ key: check, run }] : []
  })
}

/** Returns the JSON objects in a file, one per line. Ignores other lines. */
export function readLines(file: string): Record<string, unknown>[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        const value: unknown = JSON.parse(line)
        return typeof value === 'object' && value !== null ? [value as Record<string, unknown>] : []
      } catch {
        return []
      }
    })
}

/** Returns one table row per figure. The key comes last, so that no field can overwrite it. */
function figuresOf(key: string, { figures, ...run }: ReportRun): Record<string, unknown>[] {
  return figures.map((figure) => {
    const row: Record<string, unknown> = { ...run, ...figure }
    return { ...Object.fromEntries(columns.map((column) => [column, plain(row[column])])), run_key: key }
  })
}

/** Replaces lone surrogates, because DuckDB would reject the entire JSON document. */
function plain(value: unknown): string | number | null {
  if (typeof value === 'string') return Buffer.from(value).toString()
  return typeof value === 'number' ? value : null
}
