import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PROGRESS, SEVERITIES } from '../../contract/incident.ts'
import { METRIC } from '../../definitions/metric-views.ts'
import { ConfigError } from '../../errors.ts'
import { version } from '../../version.ts'
import type { Relation } from '../../warehouse/read/exporter.ts'
import type { ExportedTable, ExportFormat } from './export-table.ts'

/** An exported table as a dbt source. */
export interface Source {
  readonly table: string
  readonly files: string
  readonly relation: Relation
}

const MARK = '# Written by `faultline export --dbt`, and again with each: what is changed here is lost.'
const PROJECT = 'dbt_project.yml'
const FOLDERS = ['models', 'tests'] as const

/** Returns the absolute folder of a package. @throws ConfigError if it contains other files, or Parquet is not exported */
export function dbtFolder(folder: string, formats: readonly ExportFormat[]): string {
  if (!formats.includes('parquet'))
    throw new ConfigError('--dbt: dbt reads Parquet.', { next: 'Add parquet to --format.' })
  const path = resolve(folder)
  const project = join(path, PROJECT)
  const isOther = FOLDERS.some((one) => existsSync(join(path, one))) || existsSync(project)
  if (isOther && !(existsSync(project) && readFileSync(project, 'utf8').startsWith(MARK)))
    throw new ConfigError(`--dbt: ${path} holds a dbt project that is not of an export.`, {
      next: 'Name a folder of its own, and list it in the packages.yml of yours.',
    })
  return path
}

/** Returns the tables that were exported as Parquet. */
export function sourcesOf(
  exports: readonly ExportedTable[],
  relations: ReadonlyMap<string, Relation>,
): Source[] {
  return exports
    .filter(({ format }) => format === 'parquet')
    .map(({ table, files }) => ({
      table,
      files: files[0]!.includes('/') ? `${table}/*/data.parquet` : files[0]!,
      relation: relations.get(table)!,
    }))
}

/** Writes the dbt package, with each table as a source, and tests of keys, required columns and enum values. */
export function writeDbtPackage(
  folder: string,
  { export: place, sources }: { export: string; sources: readonly Source[] },
): void {
  for (const one of FOLDERS) {
    rmSync(join(folder, one), { recursive: true, force: true })
    mkdirSync(join(folder, one), { recursive: true })
  }
  writeFileSync(join(folder, PROJECT), projectText(place))
  writeFileSync(join(folder, 'profiles.yml'), PROFILES)
  writeFileSync(join(folder, 'models', 'faultline.yml'), sourcesText(sources))
  for (const [name, sql] of sources.flatMap(testsOf)) writeFileSync(join(folder, 'tests', `${name}.sql`), sql)
}

const projectText = (place: string) => `${MARK}
name: faultline
version: ${yaml(version)}
config-version: 2
profile: faultline
model-paths: [models]
test-paths: [tests]
vars:
  # Where the export lies; of an engine that reads no files, the schema that its tables were loaded into.
  faultline_export: ${yaml(place.replaceAll("'", "''"))}
  faultline_schema: faultline
`

/** Lets the package be built alone, with \`dbt build --profiles-dir .\` in its folder. */
const PROFILES = `${MARK}
faultline:
  target: duckdb
  outputs:
    duckdb: { type: duckdb, path: ':memory:', settings: { TimeZone: UTC } }
`

function sourcesText(sources: readonly Source[]): string {
  const tables = sources.map(({ table, files, relation: { comment, columns, key } }) =>
    [
      `      - name: ${yaml(table)}`,
      `        description: ${yaml(shown(comment))}`,
      '        config:',
      '          meta:',
      `            external_location: ${yaml(`{{ var("faultline_export") }}/${files}`)}`,
      '        columns:',
      ...columns.flatMap(({ name, type, comment: meaning }) => [
        `          - name: ${yaml(name)}`,
        `            description: ${yaml(shown(meaning))}`,
        `            data_type: ${yaml(type)}`,
        ...(key.includes(name)
          ? [`            data_tests: [${key.length === 1 ? 'not_null, unique' : 'not_null'}]`]
          : []),
      ]),
    ].join('\n'),
  )
  return `${MARK}
version: 2
sources:
  - name: faultline
    schema: '{{ var("faultline_schema") }}'
    tables:
${tables.join('\n')}
`
}

/** Tests on several columns. Each row that they return is an error. */
function testsOf({ table, relation }: Source): [name: string, sql: string][] {
  const from = `from {{ source('faultline', '${table}') }}`
  const { key, columns } = relation
  const words = columns.flatMap(({ name }) => {
    const known = WORDS[name]
    if (known === undefined || !isOfIncidents(table)) return []
    const all = table.startsWith(METRIC) ? [...known, '(all)'] : known
    const list = all.map((word) => `'${word}'`).join(', ')
    return [
      [`faultline_${table}_${name}`, `select ${name} ${from} where ${name} not in (${list})\n`] as const,
    ]
  })
  const list = key.join(', ')
  const ofKey = `select ${list}, count(*) as copies ${from} group by ${list} having count(*) > 1\n`
  return [...(key.length > 1 ? [[`faultline_${table}_key`, ofKey] as const] : []), ...words].map(
    ([name, sql]) => [name, sql],
  )
}

const WORDS: Readonly<Record<string, readonly string[]>> = {
  incident_severity: SEVERITIES,
  progress: PROGRESS,
}
const isOfIncidents = (table: string) =>
  /^incident(s|_times|_versions)$/.test(table) || table.startsWith(METRIC)

/** JSON is valid YAML. */
const yaml = (text: string) => JSON.stringify(text)

/** Prevents dbt from executing the text as a template. */
const shown = (text: string | null) => (text ?? '').replaceAll(/\{(?=[{%#])/g, '{ ')
