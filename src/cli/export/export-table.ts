import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { WarehouseError } from '../../errors.ts'
import { isInStore } from '../../settings/object-store.ts'
import { type ExportTable, inMonth, monthsOf, NO_MONTH } from '../../warehouse/read/export-plan.ts'
import { columnsIn, type Exporter, type Relation, textColumns } from '../../warehouse/read/exporter.ts'
import type { Flags } from '../command.ts'
import { csvWriter } from '../csv-writer.ts'

export const EXPORT_FORMATS = ['parquet', 'csv', 'ndjson'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Formats that DuckDB can stream to an object store. */
export const STORE_FORMATS: readonly ExportFormat[] = ['parquet', 'ndjson']

/** A table that was exported in one format. Its file paths are relative to the export folder. */
export interface ExportedTable {
  readonly table: string
  readonly format: ExportFormat
  readonly rows: number
  readonly files: readonly string[]
}

interface Job extends Flags<'bom' | 'escapeFormulas'> {
  readonly exporter: Exporter
  /** Absolute path of the export folder, or its address in an object store. */
  readonly folder: string
  readonly plan: ExportTable
  readonly relation: Relation
}

/** Writes one table. @throws WarehouseError if the number of written rows is wrong */
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
    // An empty table has no months. It gets one file without rows, so that readers can still see its columns.
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
    const write = csvWriter(escapeFormulas)
    let rows = 0
    try {
      if (bom) writeSync(file, '\ufeff')
      for await (const piece of exporter.stream(`select ${textColumns(relation, true)} ${plan.from}`)) {
        writeSync(file, write(piece))
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
