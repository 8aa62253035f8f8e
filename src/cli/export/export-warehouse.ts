import { join, relative, resolve } from 'node:path'
import { loadConfig } from '../../config/config.ts'
import { definitionsKey } from '../../definitions/custom-definitions-sql.ts'
import { METRIC } from '../../definitions/metric-views.ts'
import { ConfigError, unknownName } from '../../errors.ts'
import { accountsIn, pickAccounts } from '../../report/scope/report-filters.ts'
import { resources } from '../../resources/index.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import { isInStore } from '../../settings/object-store.ts'
import { DATA_PACKAGE, MANIFEST } from '../../site/prune.ts'
import { version } from '../../version.ts'
import { filterByAccount } from '../../warehouse/read/account-filter.ts'
import {
  type ExportTable,
  exportPlan,
  inOnePiece,
  isNarrowed,
  ofAccounts,
} from '../../warehouse/read/export-plan.ts'
import { type Exporter, openExporter, type Relation } from '../../warehouse/read/exporter.ts'
import type { Context } from '../context.ts'
import { textTable } from '../text-table.ts'
import { dataPackage } from './data-package.ts'
import { dbtFolder, type Source, sourcesOf, writeDbtPackage } from './dbt-package.ts'
import {
  EXPORT_FORMATS,
  type ExportedTable,
  type ExportFormat,
  exportTable,
  STORE_FORMATS,
} from './export-table.ts'
import { replaceExport } from './folder.ts'
import { dropFormerMonths, isExportThere } from './store.ts'

export interface ExportOptions {
  readonly format?: string | undefined
  readonly to?: string | undefined
  readonly json?: boolean | undefined
  readonly bom?: boolean | undefined
  readonly escapeFormulas?: boolean | undefined
  readonly metrics?: boolean | undefined
  readonly dbt?: string | undefined
  readonly account?: string | undefined
}

export async function exportWarehouse(
  context: Context,
  names: readonly string[],
  options: ExportOptions,
): Promise<number> {
  const config = loadConfig(context.overrides)
  const { out, inStore } = placeOf(options.to ?? join(config.out, 'export'), config.store)
  const formats = formatsOf(options.format, inStore ? STORE_FORMATS : EXPORT_FORMATS)
  const withMetrics = options.metrics === true || options.dbt !== undefined
  const pack = options.dbt === undefined ? undefined : dbtFolder(options.dbt, formats)
  const { signal } = context
  let sources: readonly Source[] = []
  const fill = async (folder: string) => {
    const { store, settings } = config
    const exporter = await openExporter(await resolveStorage(config.warehouse), {
      ...{ folder, store, settings, signal },
      memoryLimit: config.sync.memoryLimit,
    })
    context.console.warn(exporter.notice)
    try {
      const accounts = await narrowed(exporter.session, options.account)
      // Marks the folder as an export, in case this process is killed.
      if (inStore && !(await isExportThere(exporter, folder)))
        await exporter.write(manifest({ asOf: null, definitions: null }, []), `${folder}/${MANIFEST}`)
      const relations = await exporter.relations(withMetrics || names.some((one) => one.startsWith(METRIC)))
      const metrics = withMetrics ? [...relations.keys()].filter((one) => one.startsWith(METRIC)) : []
      const done: ExportedTable[] = []
      const chosen = { names, metrics, narrowed: accounts === null ? null : exporter.definitions }
      for (const one of pick(chosen, relations)) {
        const plan = accounts === null ? one : ofAccounts(one, accounts)
        const job = {
          exporter,
          folder,
          plan,
          relation: relations.get(plan.table)!,
          bom: options.bom === true,
          escapeFormulas: options.escapeFormulas === true,
        }
        for (const format of formats) done.push(await exportTable(job, format))
      }
      const [asOf = null] = await exporter.list(
        `select strftime(max(as_of_at), '%Y-%m-%dT%H:%M:%SZ') from as_of where as_of_source = 'sync run'`,
      )
      if (inStore) await dropFormerMonths(exporter, folder, done)
      const definitions = await definitionsKey(exporter.session)
      await exporter.write(dataPackage(done, relations, definitions), `${folder}/${DATA_PACKAGE}`)
      sources = sourcesOf(done, relations)
      // Written last, because it marks the export as complete.
      await exporter.write(manifest({ asOf, definitions }, done), `${folder}/${MANIFEST}`)
      return done
    } finally {
      exporter.close()
    }
  }
  const written = await (inStore ? fill(out) : replaceExport(out, fill))
  if (pack !== undefined) writeDbtPackage(pack, { export: out, sources })
  context.console.out(options.json ? JSON.stringify({ out, exports: written }) : exportText(out, written))
  return 0
}

function placeOf(place: string, store: object | undefined): { out: string; inStore: boolean } {
  if (!isInStore(place)) return { out: resolve(place), inStore: false }
  const out = place.replace(/\/+$/, '')
  if (!/^s3:\/\/[\w.-]+(\/[^*?[\]{}]+)*$/.test(out)) {
    throw new ConfigError(`--to: ${out} is not a valid object store address.`, {
      next: 'Write s3://bucket/prefix/, without * ? [ ] { }.',
    })
  }
  if (store === undefined) {
    throw new ConfigError(`No key is configured for the object store of ${out}.`, {
      next: 'Set `lake.s3.keyId`, and FAULTLINE_S3_SECRET or `lake.s3.secretFile`. They also apply to exports of a file.',
    })
  }
  return { out, inStore: true }
}

function formatsOf(text = 'parquet', possible: readonly ExportFormat[]): ExportFormat[] {
  const names = new Set(text.split(',').map((one) => one.trim()))
  return [...names].map((one) => {
    const format = possible.find((known) => known === one)
    if (format) return format
    throw new ConfigError(
      `--format: unknown format "${one}"${possible === EXPORT_FORMATS ? '' : ' for an object store'}.`,
      {
        next: unknownName(one, possible),
      },
    )
  })
}

/** Limits the session to the given accounts and returns their names. Returns null if there is no limit. */
async function narrowed(
  session: Exporter['session'],
  wanted: string | undefined,
): Promise<readonly string[] | null> {
  if (wanted === undefined) return null
  const known = await accountsIn(session)
  const chosen = pickAccounts(known, wanted)
  if (chosen.length === known.length) return null
  await filterByAccount(
    session,
    chosen.map(({ id }) => BigInt(id)),
  )
  return chosen.map(({ name }) => name)
}

interface Chosen {
  readonly names: readonly string[]
  readonly metrics: readonly string[]
  readonly narrowed: readonly string[] | null
}

/**
 * Selects the tables or views to export (default: all tables). Custom views stored in the warehouse file cannot be
 * limited to accounts.
 */
function pick({ names, metrics, narrowed }: Chosen, all: ReadonlyMap<string, Relation>): ExportTable[] {
  const relations = narrowed
    ? new Map([...all].filter(([table]) => isNarrowed(table, resources, narrowed)))
    : all
  const tables = exportPlan(resources).filter(({ table }) => relations.has(table))
  const more = metrics.filter((one) => relations.has(one))
  if (names.length === 0) return [...tables, ...more.map(inOnePiece)]
  return [...new Set([...names, ...more])].map((one) => {
    if (!relations.has(one)) {
      throw new ConfigError(`Unknown table "${one}".`, { next: unknownName(one, relations.keys()) })
    }
    // The name becomes a file name.
    if (!/^\w[\w-]{0,99}$/.test(one)) {
      throw new ConfigError(`The table "${one}" cannot be exported: its name is not a valid file name.`, {
        next: 'Create a view of it with a plain name.',
      })
    }
    return tables.find(({ table }) => table === one) ?? inOnePiece(one)
  })
}

/** Returns the manifest. It lists the contents for programs, and marks the folder as an export that can be replaced. */
function manifest(
  { asOf, definitions }: { asOf: string | null; definitions: string | null },
  exports: readonly ExportedTable[],
): string {
  const own = definitions === null ? {} : { definitions }
  return `${JSON.stringify({ faultline: version, as_of: asOf, ...own, exports }, null, 2)}\n`
}

function exportText(out: string, written: readonly ExportedTable[]): string {
  const rows = written.map(({ table, format, rows: count, files }) => [
    table,
    format,
    count.toLocaleString('en'),
    files.length === 1 ? files[0]! : `${files.length} files in ${table}/`,
  ])
  return [
    ...textTable([['table', 'format', 'rows', 'files'], ...rows], [false, false, true, false]),
    '',
    `Written to ${isInStore(out) ? out : relative('', out) || out}`,
  ].join('\n')
}
