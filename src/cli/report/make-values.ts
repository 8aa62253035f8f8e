import { join, relative } from 'node:path'
import type { Config } from '../../config/config.ts'
import { placeValues, pointOnValues, valueFolder } from '../../delivery/value-folders.ts'
import { replaceFile } from '../../effects.ts'
import { ConfigError, suggestion, unknownName } from '../../errors.ts'
import { toPageList } from '../../render/to-index.ts'
import { byPeriod, type Listed } from '../../report/list.ts'
import { namesIn } from '../../report/parse/parameters.ts'
import { type RunOptions, runReport } from '../../report/run.ts'
import { valuesIn } from '../../report/scope/chosen.ts'
import { type FileFormat, writeReport } from '../../report/write.ts'
import { pooled } from '../../warehouse/read/pool.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import type { Context } from '../context.ts'
import { AT_ONCE, makeEach, writeIndex } from './each.ts'

interface Chosen {
  readonly team?: string | undefined
  readonly dimensions?: Readonly<Record<string, string>> | undefined
  readonly known?: readonly string[] | undefined
}

/** @throws ConfigError for an option that is none, and no dimension */
export function checkOptions({ settings }: Config, { dimensions = {}, known = [] }: Chosen): void {
  const names = settings.dimensions.map(({ name }) => `--${name}`)
  const unknown = Object.keys(dimensions).find((name) => !names.includes(`--${name}`))
  if (unknown === undefined) return
  throw new ConfigError(`unknown option '--${unknown}'`, {
    next: suggestion(`--${unknown}`, [...known, ...names]) ?? '(see --help)',
  })
}

/** Whether pages are of some teams or values of dimensions, and so no pages of all. */
export function isPart({ team, dimensions = {} }: Chosen): boolean {
  return team !== undefined || Object.keys(dimensions).length > 0
}

/** The dimensions whose values get pages of their own: named now, or configured. @throws ConfigError for one that is not configured */
export function dimensionsToMake(
  { reporting, settings }: Config,
  named: string | undefined,
): readonly string[] {
  const known = settings.dimensions.map(({ name }) => name)
  const wanted = namesIn(named) ?? (named === undefined ? reporting.pages : known)
  const unknown = wanted.find((one) => !known.includes(one))
  if (unknown === undefined) return wanted
  throw new ConfigError(`There is no dimension "${unknown}".`, {
    next: known.length > 0 ? unknownName(unknown, known) : 'Name some as `reporting.dimensions`.',
    field: 'reporting.pages',
  })
}

/** Makes the reports of each value of a dimension, in a folder of its own, with an index each and one of all. @returns the highest exit status */
export async function makeValues(
  context: Context,
  reader: Reader,
  reports: readonly Listed[],
  how: {
    readonly dimension: string
    /** Every report there is, for the index of a value. */
    readonly all: readonly Listed[]
    readonly out: string
    readonly files: readonly FileFormat[]
    readonly options: RunOptions
  },
): Promise<number> {
  const { dimension, all, files, options } = how
  const own = byPeriod(reports.filter(({ perTeam, problem }) => perTeam && !problem))
  const out = join(how.out, dimension)
  const values = placeValues(how.out, dimension, await valuesIn(reader, dimension))
  const sessions = pooled(reader, { timesKept: true })
  const status = await makeEach(context, values, own, AT_ONCE, async (value) => ({
    async make(report) {
      const dimensions = { ...options.dimensions, [dimension]: [value.name] }
      const result = await runReport(report.file, sessions, { ...options, dimensions })
      writeReport(result, valueFolder(how.out, dimension, value), files, {
        isCompact: true,
        teamPage: () => null,
        site: siteOf(value.name),
      })
      return 0
    },
  }))
  sessions.close()
  for (const { name, folder } of values) writeIndex(join(out, folder), name, all, siteOf(null))
  pointOnValues(how.out, dimension, values)
  const pages = values.map(({ name, folder }) => ({
    page: `${encodeURIComponent(folder)}/index.html`,
    title: name,
    description: '',
  }))
  replaceFile(
    join(out, 'index.html'),
    toPageList(`By ${dimension}`, pages, '', {
      ...siteOf(null),
      all: { href: '../index.html', text: 'All reports' },
    }),
  )
  context.console.out(
    `${relative('', out)}/: pages of ${values.length} ${values.length === 1 ? 'value' : 'values'}`,
  )
  return status
}

/** Where a page of a value leads besides. @param value null on its index */
function siteOf(value: string | null) {
  return {
    all: { href: '../index.html', text: 'All values' },
    previous: null,
    next: null,
    teams: null,
    ...(value !== null && { own: { href: 'index.html', text: value } }),
  }
}
