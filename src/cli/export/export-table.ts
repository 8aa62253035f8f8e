import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { WarehouseError } from '../../errors.ts'
import { toCsv } from '../../render/to-csv.ts'
import { isInStore } from '../../settings/object-store.ts'
import { type ExportTable, inMonth, monthsOf, NO_MONTH } from '../../warehouse/read/export-plan.ts'
import { columnsIn, type Exporter, type Relation, textColumns } from '../../warehouse/read/exporter.ts'

export const EXPORT_FORMATS = ['parquet', 'csv', 'ndjson'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Formats that DuckDB can stream to an object store. */
export const STORE_FORMATS: readonly ExportFormat[] = ['parquet', 'ndjson']

/** A table in one format. Its file paths are relative to the export folder. */
export interface ExportedTable {
  readonly table: string
  readonly format: ExportFormat
  readonly rows: number
  readonly files: readonly string[]
}

interface Job {
  /** Starts CSV files with a byte order mark, so that Excel detects UTF-8. */
  readonly bom: boolean
  /** Puts an apostrophe in front of CSV text that a spreadsheet would execute. */
  readonly escapeFormulas: boolean
  readonly exporter: Exporter
  /** Absolute path, or an address in an object store. */
  readonly folder: string
  readonly plan: ExportTable
  readonly relation: Relation
}

/** Writes one table. @throws WarehouseError if rows are missing in the file */
export async function exportTable(job: Job, format: ExportFormat): Promise<ExportedTable> {
  const { table } = job.plan
  const { rows, files } = await writers[format](job)
  const [count] = await job.exporter.list(`select count(*)::varchar ${job.plan.from}`)
  if (Number(count) !== rows) {
    throw new WarehouseError(`The export of ${table} has ${rows} rows instead of ${count}.`, {
      next: 'Nothing was replaced. Please report this.',
    })
  }
  return { table, format, rows, files }
}

const writers: Record<ExportFormat, (job: Job) => Promise<{ rows: number; files: string[] }>> = {
  async parquet({ exporter, folder, plan, relation }) {
    const select = `select ${columnsIn(relation)} ${plan.from}`
    if (plan.start === null) {
      const file = `${plan.table}.parquet`
      return { rows: await exporter.copy(select, `${folder}/${file}`, 'parquet'), files: [file] }
    }
    const files: string[] = []
    let rows = 0
    const months = await exporter.list(monthsOf(plan))
    // An empty table gets one part without rows, so that programs which read it find its columns.
    for (const month of months.length > 0 ? months : [null]) {
      const part = `${plan.table}/month=${month ?? NO_MONTH}`
      if (!isInStore(folder)) mkdirSync(join(folder, part), { recursive: true })
      const file = `${part}/data.parquet`
      rows += await exporter.copy(`${select} where ${inMonth(plan, month)}`, `${folder}/${file}`, 'parquet')
      files.push(file)
    }
    return { rows, files }
  },

  async csv({ exporter, folder, plan, relation, bom, escapeFormulas }) {
    const name = `${plan.table}.csv`
    const file = openSync(join(folder, name), 'wx')
    const texts = escapeFormulas ? 'harmless' : 'as they are'
    let rows = 0
    try {
      if (bom) writeSync(file, '\ufeff')
      let header: string | undefined
      for await (const piece of exporter.stream(`select ${textColumns(relation, true)} ${plan.from}`)) {
        header ??= toCsv({ columns: piece.columns as never, rows: [] }, texts)
        const text = toCsv({ columns: piece.columns as never, rows: piece.rows as never }, texts)
        // The first piece has the header and no rows.
        writeSync(file, rows === 0 && piece.rows.length === 0 ? header : text.slice(header.length))
        rows += piece.rows.length
      }
    } finally {
      closeSync(file)
    }
    return { rows, files: [name] }
  },

  async ndjson({ exporter, folder, plan, relation }) {
    const file = `${plan.table}.ndjson`
    const select = `select ${textColumns(relation, false)} ${plan.from}`
    return { rows: await exporter.copy(select, `${folder}/${file}`, 'json'), files: [file] }
  },
}
