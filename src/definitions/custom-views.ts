import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError, closestMatch, FaultlineError } from '../errors.ts'
import { inPackage } from '../package-path.ts'
import { resources } from '../resources/index.ts'
import { defaultSettings, type Settings } from '../settings/settings.ts'
import { inOrder, lineAt } from './definition-order.ts'
import { metricViews } from './metric-views.ts'
import type { Parser } from './parse-tree.ts'
import { limitsIn } from './rule-placeholders.ts'
import { settingsTables } from './settings-tables.ts'
import { type Named, namesIn } from './sql-references.ts'
import { tablesOf } from './tables.ts'
import { macroOf, type ViewFile } from './view-file.ts'
import { viewFiles } from './views.ts'

/**
 * @param reserved names of the sync's own tables, such as `sync_runs`
 * @throws ConfigError if the folder is missing, a file is malformed, or the name of a definition is already taken
 */
export function customViews(
  { sql }: Pick<Settings, 'sql'>,
  reserved: readonly string[],
): readonly ViewFile[] {
  if (sql === undefined) return []
  if (!existsSync(sql.folder)) {
    throw new ConfigError(`The folder of custom SQL does not exist: ${sql.folder}.`, {
      next: 'Create it, or correct `sql` in the configuration.',
      field: 'sql',
    })
  }
  const files = asConfigError(() => viewFiles(pathToFileURL(`${sql.folder}/`), basename(sql.folder)))
  const taken = takenNames(reserved)
  const mistakes = files.flatMap(({ file, name }) =>
    taken.has(name)
      ? [`${file} cannot define ${name}, because ${taken.get(name)} has this name. Rename the file.`]
      : [],
  )
  stopAt(mistakes)
  return files
}

export function allViews(settings: Pick<Settings, 'sql'>, reserved: readonly string[]): ViewFile[] {
  return [...viewFiles(), ...customViews(settings, reserved)].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Maps each taken name to a description of what has the name. Includes the macros of reports. */
function takenNames(reserved: readonly string[]): Map<string, string> {
  const macros = readFileSync(inPackage('reports/frame/macros.sql'), 'utf8').split(/;\n/)
  const names = macros.map((text) => macroOf(text.replace(/^(\s*--.*\n|\s*\n)*/, ''))?.name ?? '')
  return new Map([
    ...names.map((name) => [name, 'a macro of reports (reports/frame/macros.sql)'] as const),
    ...tables(reserved).map((name) => [name, 'a table'] as const),
    ...[...viewFiles(), ...metricViews(viewFiles())].map(
      ({ name, file }) => [name, `the definition in ${file}`] as const,
    ),
  ])
}

function tables(reserved: readonly string[]): string[] {
  return [...reserved, ...[...resources.flatMap(tablesOf), ...settingsTables].map(({ name }) => name)]
}

/** Checks that custom definitions are valid and refer only to existing names. @throws ConfigError */
export async function checkCustomViews(
  parser: Parser,
  own: readonly ViewFile[],
  reserved: readonly string[],
): Promise<void> {
  if (own.length === 0) return
  const found = await parser.runAndReadAll(
    `select distinct lower(function_name) from duckdb_functions() union select lower(view_name) from duckdb_views() where internal`,
  )
  const builtIn = new Set(found.getRows().map(([name]) => String(name)))
  const all = [...viewFiles(), ...own]
  const library = new Map([...all, ...metricViews(all)].map((file) => [file.name, file]))
  const known = [...library.keys(), ...tables(reserved)]
  const names = await namesIn(
    parser,
    own.map(({ query, parameters }) => ({ sql: query.sql, parameters })),
  )
  const mistakes = own.flatMap((file, index) => {
    const one = names[index]!
    if (builtIn.has(file.name))
      return [
        `${file.file} cannot define ${file.name}, because a function of DuckDB has this name. Rename the file.`,
      ]
    if ('mistake' in one) return [`${file.file}, line ${lineAt(file, one.at)}: ${one.mistake}.`]
    return [
      ...one.named.flatMap((named) => unknown(named, file, known, builtIn)),
      ...unknownInHead(file, library),
    ]
  })
  stopAt(mistakes)
  await asConfigError(() => inOrder(parser, own))
}

function unknown(
  { name, kind, at }: Named,
  file: ViewFile,
  known: readonly string[],
  builtIn: ReadonlySet<string>,
): string[] {
  // A string argument can have any value. `builtIn` lacks the functions that only DuckDB's parser knows.
  if (kind === 'text' || known.includes(name) || builtIn.has(name) || ofParser.has(name)) return []
  const what = kind === 'relation' ? 'table, view or metric' : 'function'
  const meant = closestMatch(name, kind === 'relation' ? known : [...known, ...builtIn])
  return [`${file.file}, line ${lineAt(file, at)}: unknown ${what} "${name}".${meant ? ` ${meant}` : ''}`]
}

/** Reports unknown limits and rules in a comment header. A report would show an unknown limit as `none`. */
function unknownInHead(file: ViewFile, library: ReadonlyMap<string, ViewFile>): string[] {
  const limits = [...defaultSettings.thresholds.map(({ name }) => name), 'hourly_cost']
  const texts = [file.comment, ...file.columns.values(), ...file.rules.map(({ text }) => text)]
  const wrongLimits = texts
    .flatMap(limitsIn)
    .filter((name) => !limits.includes(name))
    .map((name) => [`limit "${name}"`, closestMatch(name, limits)])
  const wrongRules = file.rules.flatMap(({ see }) => {
    const [name = '', column] = see?.split('.') ?? []
    const isThere = library
      .get(name)
      ?.rules.some(({ of }) => (column ? of.includes(column) : of.length === 0))
    return see === null || isThere ? [] : [[`rule of "${see}"`, closestMatch(name, [...library.keys()])]]
  })
  return [...wrongLimits, ...wrongRules].map(
    ([what, meant]) =>
      `${file.file}: the comment header refers to an unknown ${what}.${meant ? ` ${meant}` : ''}`,
  )
}

const ofParser = new Set(['coalesce', 'grouping', 'grouping_id', 'unnest', 'row', 'try', 'query_table'])

function stopAt(mistakes: readonly string[]): void {
  const [first, second] = mistakes
  if (first === undefined) return
  const text = second === undefined ? first : ['The custom SQL has errors.', ...mistakes].join('\n')
  throw new ConfigError(text, {
    next: 'sql/README.md explains custom definitions.',
    field: 'sql',
  })
}

function asConfigError<Result>(act: () => Result): Result {
  const placed = (error: unknown) => {
    if (!(error instanceof FaultlineError) || error instanceof ConfigError) return error
    return new ConfigError(error.message, { cause: error, next: error.next, field: 'sql' })
  }
  try {
    const result = act()
    if (!(result instanceof Promise)) return result
    return result.catch((error: unknown) => Promise.reject(placed(error))) as Result
  } catch (error) {
    throw placed(error)
  }
}
