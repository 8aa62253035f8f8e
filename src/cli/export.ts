import { existsSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { loadConfig } from '../config.ts'
import { MANIFEST } from '../delivery/is-export.ts'
import { ConfigError } from '../errors.ts'
import { resources } from '../resources/index.ts'
import { unknownName } from '../suggest.ts'
import { version } from '../version.ts'
import { type ExportTable, exportPlan, whole } from '../warehouse/export-plan.ts'
import { openExporter, type Relation } from '../warehouse/exporter.ts'
import { warehouseFiles } from '../warehouse/files.ts'
import { noWarehouse } from '../warehouse/no-warehouse.ts'
import type { Context } from './context.ts'
import { replaceExport } from './export-folder.ts'
import { EXPORT_FORMATS, type ExportFormat, exportTable, type Written } from './export-tables.ts'
import { textTable } from './text-table.ts'

export interface ExportFlags {
  readonly format?: string
  readonly out?: string
  readonly json?: boolean
}

/** `faultline export`: whole tables of the published copy, as files that other tools read. */
export async function exportCommand(
  context: Context,
  names: readonly string[],
  flags: ExportFlags,
): Promise<number> {
  const config = loadConfig(context.overrides)
  const formats = formatsOf(flags.format)
  const out = flags.out === undefined ? join(config.out, 'export') : resolve(flags.out)
  const { published } = warehouseFiles(config.warehouse)
  if (!existsSync(published)) throw noWarehouse(published)
  const { signal } = context
  const written = await replaceExport(out, async (folder) => {
    const options = { folder, memoryLimit: config.sync.memoryLimit, settings: config.settings, signal }
    const exporter = await openExporter(published, options)
    try {
      const relations = await exporter.relations()
      const done: Written[] = []
      for (const plan of pick(names, relations)) {
        const job = { exporter, folder, plan, relation: relations.get(plan.table)! }
        for (const format of formats) done.push(await exportTable(job, format))
      }
      const [asOf = null] = relations.has('sync_runs')
        ? await exporter.list(`select strftime(max(as_of_at), '%Y-%m-%dT%H:%M:%SZ') from sync_runs`)
        : []
      writeFileSync(join(folder, MANIFEST), manifest(asOf, done))
      return done
    } finally {
      exporter.close()
    }
  })
  context.console.out(flags.json ? JSON.stringify({ out, exports: written }) : exportText(out, written))
  return 0
}

function formatsOf(text = 'parquet'): ExportFormat[] {
  const names = new Set(text.split(',').map((one) => one.trim()))
  return [...names].map((one) => {
    const format = EXPORT_FORMATS.find((known) => known === one)
    if (format) return format
    throw new ConfigError(`--format: there is no format "${one}".`, {
      next: unknownName(one, EXPORT_FORMATS),
    })
  })
}

/** The tables of those names; all of the warehouse's own when none is named. A view can be named as well. */
function pick(names: readonly string[], relations: ReadonlyMap<string, Relation>): ExportTable[] {
  const tables = exportPlan(resources).filter(({ table }) => relations.has(table))
  if (names.length === 0) return tables
  return [...new Set(names)].map((one) => {
    if (!relations.has(one)) {
      throw new ConfigError(`There is no table "${one}".`, { next: unknownName(one, relations.keys()) })
    }
    // Its name becomes a file's.
    if (!/^\w[\w-]{0,99}$/.test(one)) {
      throw new ConfigError(`The table "${one}" cannot be exported: its name is no name for a file.`, {
        next: 'Make a view of it under a plain name.',
      })
    }
    return tables.find(({ table }) => table === one) ?? whole(one)
  })
}

/** What the folder holds, for programs: also the mark by which the next export knows that it may replace it. */
function manifest(asOf: string | null, exports: readonly Written[]): string {
  return `${JSON.stringify({ faultline: version, as_of: asOf, exports }, null, 2)}\n`
}

function exportText(out: string, written: readonly Written[]): string {
  const rows = written.map(({ table, format, rows: count, files }) => [
    table,
    format,
    count.toLocaleString('en'),
    files.length === 1 ? files[0]! : `${files.length} files below ${table}/`,
  ])
  return [
    ...textTable([['table', 'format', 'rows', 'files'], ...rows], [false, false, true, false]),
    '',
    `Written to ${relative('', out) || out}`,
  ].join('\n')
}
