import type { Relation } from '../../warehouse/read/exporter.ts'
import type { ExportedTable } from './export-table.ts'

/** @param definitions identifies the custom definitions; null if there are none */
export function dataPackage(
  exports: readonly ExportedTable[],
  relations: ReadonlyMap<string, Relation>,
  definitions: string | null,
): string {
  const resources = exports.map(({ table, format, files }) => {
    const { columns, comment, key } = relations.get(table)!
    const isCut = files[0]!.includes('/')
    return {
      // The standard requires lower case, but the names of custom views can contain capitals.
      name: `${table.toLowerCase()}.${format}`,
      path: files.length === 1 ? files[0] : files,
      format,
      ...(format !== 'parquet' && { encoding: 'utf-8' }),
      ...(comment && { description: comment }),
      // Programs that read folder names such as `month=2026-03` show the month as a column.
      ...(isCut && { partitioned_by: 'month' }),
      schema: { fields: columns.map(fieldOf), ...(key.length > 0 && { primaryKey: key }) },
    }
  })
  const $schema = 'https://datapackage.org/profiles/2.0/datapackage.json'
  // The standard permits custom properties.
  const own = definitions === null ? {} : { definitions }
  return `${JSON.stringify({ $schema, ...own, resources }, null, 2)}\n`
}

function fieldOf({ name, type, comment }: Relation['columns'][number]) {
  const unit = /_s$|(^|_)seconds$/.test(name) && /INT|DOUBLE/.test(type) ? 's' : undefined
  return { name, type: kindOf(type), duckdb: type, unit, description: comment ?? undefined }
}

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\[\]$/, 'array'],
  [/^(STRUCT|MAP)/, 'object'],
  [/INT$/, 'integer'],
  [/^(DOUBLE|FLOAT|DECIMAL)/, 'number'],
  [/^BOOLEAN$/, 'boolean'],
  [/^TIMESTAMP/, 'datetime'],
  [/^DATE$/, 'date'],
  [/^TIME$/, 'time'],
  [/^JSON$/, 'any'],
]

function kindOf(type: string): string {
  return KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? 'string'
}
