import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import { appendLines } from '../../effects.ts'
import { makeFolder, type WarehouseFiles } from '../file/files.ts'
import { ledger } from '../schema/ledger-tables.ts'

interface ReportRunFigure {
  /** Query and column of the figure, such as `summary.ttr`. */
  readonly figure: string
  readonly label: string
  /** The value in the figure's own unit (seconds, a share or a number). Null if the figure had no value. */
  readonly value: number | null
  /** Number of observations, or null if the card shows none. */
  readonly n: number | null
}

/** A recorded run of a report: its scope, the state of its data, and all its figures. */
interface ReportRun {
  readonly report: string
  /** Local days. The end is exclusive. */
  readonly period_from: string
  readonly period_to: string
  readonly timezone: string
  /** `all`, or the selected names, separated by commas. */
  readonly account: string
  readonly team: string
  readonly severity: string
  /** The time up to which the data was read, as ISO in UTC. */
  readonly as_of_at: string
  /** Changes whenever the report's text, a definition or a setting changes. */
  readonly definition: string
  readonly figures: readonly ReportRunFigure[]
}

/**
 * Appends a run to the private ledger `<warehouse>.report-runs.ndjson`, as one line in one write. The next sync loads the
 * line, because reports open the warehouse read-only.
 */
export function noteReportRun(
  files: WarehouseFiles,
  run: ReportRun,
  by: { version: string; now: number },
): void {
  const noted = { ...run, version: by.version, ran_at: new Date(by.now).toISOString() }
  const line = JSON.stringify({ ...noted, check: checkOf(noted) })
  // On a machine that only reads, the folder does not exist yet.
  if (dirname(files.reportRuns) === files.folder) makeFolder(files)
  appendLines(files.reportRuns, [line])
}

const table = ledger.find((each) => each.name === 'report_runs')!
const columns = table.columns.map((column) => column.name)

/** Loads new lines of the ledger into the warehouse's table `report_runs`. */
export async function foldReportRuns(connection: DuckDBConnection, file: string): Promise<void> {
  const rows = await unknownRows(connection, file)
  if (rows) await connection.run(`insert into report_runs by name ${rows}`)
}

/** Returns SQL that creates `report_runs` for one session, with new lines of the ledger. */
export async function temporaryReportRuns(connection: DuckDBConnection, file: string): Promise<string[]> {
  const rows = await unknownRows(connection, file)
  return rows
    ? [`create or replace temp table report_runs as select * from report_runs union all by name ${rows}`]
    : []
}

async function unknownRows(connection: DuckDBConnection, file: string): Promise<string | undefined> {
  const lines = linesOf(file)
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
  const shape = JSON.stringify([
    Object.fromEntries(table.columns.map(({ name: column, type }) => [column, type])),
  ])
  const list = columns
    .map((column) => `row.${quoteIdentifier(column)} as ${quoteIdentifier(column)}`)
    .join(', ')
  return `select ${list} from (select unnest(from_json(${quoteLiteral(JSON.stringify(rows))}::json, ${quoteLiteral(shape)})) as row)`
}

/** Returns a digest that detects damaged lines and serves as a line's key. */
function checkOf(run: object): string {
  return createHash('sha256').update(JSON.stringify(run)).digest('hex').slice(0, 24)
}

/** Returns the complete lines of the ledger with their keys. Ignores partial, damaged and unknown lines. */
function linesOf(file: string): { key: string; run: ReportRun }[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      try {
        const { check, ...run } = JSON.parse(line) as ReportRun & { check: unknown }
        return check === checkOf(run) && Array.isArray(run.figures) ? [{ key: check as string, run }] : []
      } catch {
        return []
      }
    })
}

/** Returns only the table's columns. A faulty line must not stop a sync or a report, or be mistaken for another line. */
function figuresOf(key: string, { figures, ...run }: ReportRun): Record<string, unknown>[] {
  return figures.map((figure) => {
    const row: Record<string, unknown> = { ...run, ...figure }
    return { ...Object.fromEntries(columns.map((column) => [column, plain(row[column])])), run_key: key }
  })
}

/** Replaces lone surrogates. Otherwise, DuckDB would reject the entire JSON document because of them. */
function plain(value: unknown): string | number | null {
  if (typeof value === 'string') return Buffer.from(value).toString()
  return typeof value === 'number' ? value : null
}
