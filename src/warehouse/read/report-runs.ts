import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import { appendLines } from '../../effects.ts'
import { makeFolder, type WarehouseFiles } from '../file/files.ts'
import { ledger } from '../schema/ledger-tables.ts'

/** One figure that a run of a report gave. */
interface ReportRunFigure {
  /** `summary.ttr`: the query and its column. */
  readonly figure: string
  readonly label: string
  /** In the figure's own unit: seconds, a share or a number; null when there was none. */
  readonly value: number | null
  /** Observations behind it; null when the card does not say. */
  readonly n: number | null
}

/** What is kept of a run of a report: what it spoke of, from which data, and every figure it gave. */
interface ReportRun {
  readonly report: string
  /** Local days, the end exclusive. */
  readonly period_from: string
  readonly period_to: string
  readonly timezone: string
  /** `all`, or the names that were chosen, with commas between. */
  readonly account: string
  readonly team: string
  readonly severity: string
  /** ISO, UTC: up to when the data had been read. */
  readonly as_of_at: string
  /** Changes when the report's text, a definition or a setting does. */
  readonly definition: string
  readonly figures: readonly ReportRunFigure[]
}

/**
 * Notes a run in the ledger of the warehouse, `<warehouse>.report-runs.ndjson` beside a file: one line, appended in one write, only
 * for its owner. Reports open the warehouse read-only; the next sync takes it in.
 */
export function noteReportRun(
  files: WarehouseFiles,
  run: ReportRun,
  by: { version: string; now: number },
): void {
  const noted = { ...run, version: by.version, ran_at: new Date(by.now).toISOString() }
  const line = JSON.stringify({ ...noted, check: checkOf(noted) })
  // A machine that only reads has no folder yet.
  if (dirname(files.reportRuns) === files.folder) makeFolder(files)
  appendLines(files.reportRuns, [line])
}

const table = ledger.find((each) => each.name === 'report_runs')!
const columns = table.columns.map((column) => column.name)

/** Takes the lines of the ledger into the warehouse's table `report_runs`; those it has already are left out. */
export async function foldReportRuns(connection: DuckDBConnection, file: string): Promise<void> {
  const rows = await unknownRows(connection, file)
  if (rows) await connection.run(`insert into report_runs by name ${rows}`)
}

/** SQL that makes `report_runs`, for one session, the warehouse's table and what the ledger holds besides. */
export async function temporaryReportRuns(connection: DuckDBConnection, file: string): Promise<string[]> {
  const rows = await unknownRows(connection, file)
  return rows
    ? [`create or replace temp table report_runs as select * from report_runs union all by name ${rows}`]
    : []
}

/** A query for the figures of all lines that the table does not hold yet; undefined when there is none. */
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

/** Tells a line as it was written from one that was damaged since; also its key. */
function checkOf(run: object): string {
  return createHash('sha256').update(JSON.stringify(run)).digest('hex').slice(0, 24)
}

/** The complete lines of the ledger, each with its key; torn and damaged lines and those that are no run are ignored. */
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

/**
 * Only what belongs into the table, as text or numbers: whatever a line holds, it must not keep a sync or a report from
 * being made, nor pass for another line.
 */
function figuresOf(key: string, { figures, ...run }: ReportRun): Record<string, unknown>[] {
  return figures.map((figure) => {
    const row: Record<string, unknown> = { ...run, ...figure }
    return { ...Object.fromEntries(columns.map((column) => [column, plain(row[column])])), run_key: key }
  })
}

/** DuckDB refuses JSON with half a surrogate pair, all of it. */
function plain(value: unknown): string | number | null {
  if (typeof value === 'string') return Buffer.from(value).toString()
  return typeof value === 'number' ? value : null
}
