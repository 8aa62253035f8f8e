import { dirname, join, relative, resolve } from 'node:path'
import { loadConfig } from '../../config/config.ts'
import { definitionsKey } from '../../definitions/custom-definitions-sql.ts'
import { METRIC } from '../../definitions/metric-views.ts'
import { quoteLiteral } from '../../definitions/quote.ts'
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
import type { Flags, Texts } from '../command.ts'
import type { Context } from '../context.ts'
import { textTable } from '../text-table.ts'
import { dataPackage } from './data-package.ts'
import { dbtFolder, writeDbtPackage } from './dbt-package.ts'
import {
  EXPORT_FORMATS,
  type ExportedTable,
  type ExportFormat,
  exportTable,
  STORE_FORMATS,
} from './export-table.ts'
import { replaceExport } from './folder.ts'

export type ExportOptions = Texts<'format' | 'to' | 'dbt' | 'account'> &
  Flags<'json' | 'bom' | 'escapeFormulas' | 'metrics'>

/** @param names tables and views (default: all tables) */
export async function exportWarehouse(
  context: Context,
  names: readonly string[],
  options: ExportOptions,
): Promise<number> {
  const config = loadConfig(context.overrides)
  const { out, inStore } = placeOf(options.to ?? join(config.out, 'export'), config.store)
  const formats = formatsOf(options.format, inStore ? STORE_FORMATS : EXPORT_FORMATS)
  const { account, bom, escapeFormulas, dbt } = options
  const withMetrics = options.metrics === true || dbt !== undefined
  const pack = dbt === undefined ? undefined : dbtFolder(dbt, formats)
  const fill = async (folder: string) => {
    const { store, settings } = config
    const exporter = await openExporter(await resolveStorage(config.warehouse), {
      ...{ folder, store, settings, signal: context.signal },
      memoryLimit: config.sync.memoryLimit,
    })
    context.console.warn(exporter.notice)
    try {
      const accounts = await narrowed(exporter.session, account)
      // If this process is killed, the manifest shows the next export that it may replace the files.
      if (inStore && !(await isExportThere(exporter, folder)))
        await exporter.write(manifest({ asOf: null, definitions: null }, []), `${folder}/${MANIFEST}`)
      const relations = await exporter.relations(withMetrics || names.some((one) => one.startsWith(METRIC)))
      const metrics = withMetrics ? [...relations.keys()].filter((one) => one.startsWith(METRIC)) : []
      const written: ExportedTable[] = []
      const narrowedTo = accounts === null ? null : exporter.definitions
      for (const one of pick(relations, names, metrics, narrowedTo)) {
        const plan = accounts === null ? one : ofAccounts(one, accounts)
        const relation = relations.get(plan.table)!
        for (const format of formats)
          written.push(await exportTable({ exporter, folder, plan, relation, bom, escapeFormulas }, format))
      }
      const [asOf = null] = await exporter.list(
        `select strftime(max(as_of_at), '%Y-%m-%dT%H:%M:%SZ') from as_of where as_of_source = 'sync run'`,
      )
      if (inStore) await dropFormerMonths(exporter, folder, written)
      const definitions = await definitionsKey(exporter.session)
      await exporter.write(dataPackage(written, relations, definitions), `${folder}/${DATA_PACKAGE}`)
      // The manifest comes last, because it marks the export as complete.
      await exporter.write(manifest({ asOf, definitions }, written), `${folder}/${MANIFEST}`)
      return { written, relations }
    } finally {
      exporter.close()
    }
  }
  const { written, relations } = await (inStore ? fill(out) : replaceExport(out, fill))
  if (pack !== undefined) writeDbtPackage(pack, out, written, relations)
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
    const where = possible === EXPORT_FORMATS ? '' : ' for an object store'
    throw new ConfigError(`--format: unknown format "${one}"${where}.`, { next: unknownName(one, possible) })
  })
}

/** Limits the session to the wanted accounts and returns their names. Returns null if all accounts are wanted. */
async function narrowed(
  session: Exporter['session'],
  wanted: string | undefined,
): Promise<readonly string[] | null> {
  if (wanted === undefined) return null
  const known = await accountsIn(session)
  const chosen = pickAccounts(known, wanted)
  if (chosen.length === known.length) return null
  const ids = chosen.map(({ id }) => BigInt(id))
  await filterByAccount(session, ids)
  return chosen.map(({ name }) => name)
}

/**
 * @throws ConfigError if a name is unknown, or cannot be limited to accounts
 * @param narrowed views that the session can limit to the chosen accounts; null if all accounts are exported
 */
function pick(
  all: ReadonlyMap<string, Relation>,
  names: readonly string[],
  metrics: readonly string[],
  narrowed: readonly string[] | null,
): ExportTable[] {
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

/** Lists the exported files. A later export may replace a folder only if the folder contains a manifest. */
function manifest(
  { asOf, definitions }: { asOf: string | null; definitions: string | null },
  exports: readonly ExportedTable[],
): string {
  const own = definitions === null ? {} : { definitions }
  return `${JSON.stringify({ faultline: version, as_of: asOf, ...own, exports }, null, 2)}\n`
}

/** Whether this prefix in an object store contains an export. @throws ConfigError if it contains only other files */
async function isExportThere(exporter: Exporter, prefix: string): Promise<boolean> {
  const found = await exporter.list(`from glob(${quoteLiteral(`${prefix}/**`)})`)
  if (found.length === 0 || found.includes(`${prefix}/${MANIFEST}`)) return found.length > 0
  throw new ConfigError(`${prefix} contains files that are not part of an export.`, {
    next: 'Use a separate prefix in the bucket.',
  })
}

/** Removes files that an earlier export wrote for months that no longer have rows. */
async function dropFormerMonths(exporter: Exporter, prefix: string, written: readonly ExportedTable[]) {
  for (const { table, files } of written) {
    if (!files[0]!.includes('/')) continue
    const now = new Set(files.map((file) => `${prefix}/${file}`))
    for (const file of await exporter.list(
      `from glob(${quoteLiteral(`${prefix}/${table}/month=*/data.parquet`)})`,
    ))
      if (!now.has(file!)) await exporter.clear(dirname(file!))
  }
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
