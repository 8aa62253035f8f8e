import { quoteLiteral } from '../../definitions/quote.ts'
import { ConfigError } from '../../errors.ts'
import { MANIFEST } from '../../site/prune.ts'
import type { Exporter } from '../../warehouse/read/exporter.ts'
import type { ExportedTable } from './export-table.ts'

/** Whether the location contains an export. @throws ConfigError if it contains other files */
export async function isExportThere(exporter: Exporter, place: string): Promise<boolean> {
  const found = await exporter.list(`from glob(${quoteLiteral(`${place}/**`)})`)
  const files = found.map((file) => file!.slice(place.length + 1))
  if (files.length === 0 || files.includes(MANIFEST)) return files.length > 0
  throw new ConfigError(`${place} contains files that are not part of an export.`, {
    next: 'Use a separate prefix in the bucket.',
  })
}

/** Removes files that an earlier export wrote for months that are now empty. */
export async function dropFormerMonths(
  exporter: Exporter,
  place: string,
  written: readonly ExportedTable[],
): Promise<void> {
  for (const { table, files } of written) {
    const now = new Set(files.map((file) => `${place}/${file}`))
    const months = files[0]!.includes('/')
      ? await exporter.list(`from glob(${quoteLiteral(`${place}/${table}/month=*/data.parquet`)})`)
      : []
    for (const file of months) if (!now.has(file!)) await exporter.clear(file!.replace(/\/[^/]+$/, ''))
  }
}
