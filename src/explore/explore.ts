import { ConfigError, FaultlineError, unknownName } from '../errors.ts'
import { refusals, UNEXPECTED } from '../page/sentences/explore-sentences.ts'
import { toCsv } from '../render/to-csv.ts'
import { shiftBounds } from '../report/scope/shift.ts'
import { NoWarehouse } from '../warehouse/file/files.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import type { Part } from './breakdown-html.ts'
import { changePage } from './change-page.ts'
import { breakdownSql, historySql, trendSql } from './chart-statements.ts'
import { explorePage, wordsPage } from './explore-page.ts'
import type { Counted, Person } from './facet-html.ts'
import { addressOf, type Filter, filterOf, NOTHING, SHIFT } from './filter.ts'
import { openFor, type Population, populationsOf, type Source } from './incident-snapshot.ts'
import { lastPage } from './list-html.ts'
import { bucketOf, daysOf } from './period-range.ts'
import {
  type Asked,
  figuresSql,
  listSql,
  pageSql,
  peopleOf,
  previousOf,
  type Statement,
  valuesSql,
} from './statements.ts'

export interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string | AsyncIterable<string>
}

/** Serves addresses that begin with `/explore`. */
export interface Explorer {
  /** Returns undefined for an unknown path. Never rejects. */
  answer(path: string, parameters: URLSearchParams): Promise<Answer | undefined>
  close(): void
}

const HTML = 'text/html; charset=utf-8'
const CSV = 'text/csv; charset=utf-8'

/** Queries the loaded incidents. The returned function does not use them, so a sync can replace them meanwhile. */
type Page = (asked: Asked, population: Population) => Promise<() => Promise<Answer>>

/** Starts an explorer, which keeps a copy of the incidents in memory to serve requests quickly. */
export function explorer(source: Source): Explorer {
  const populations = populationsOf(source)
  // Loads the incidents before the first click. If this fails, the first request tries again and reports the error.
  populations.use(async () => undefined).catch(() => undefined)
  const pages: Readonly<Record<string, Page>> = {
    '/explore': async (asked, population) => {
      const body = await shown(asked, population)
      return async () => ({ status: 200, type: HTML, body })
    },
    '/explore/change': async (asked, { zone }) => {
      return async () => ({ status: 200, type: HTML, body: await changePage(source, asked, zone) })
    },
    '/explore/incidents.csv': async (asked, { zone }) => {
      return async () => ({ status: 200, type: CSV, body: await begun(csvOf(source, listSql(asked, zone))) })
    },
  }
  /** Returns the filter without the invalid parts of an address. Null if nothing remains. */
  async function keptOf(parameters: URLSearchParams, error: unknown): Promise<Filter | null> {
    if (!(error instanceof ConfigError) || parameters.size > PARTS_MOST) return null
    const kept = await populations.use((population) => validPart(parameters, population)).catch(() => NOTHING)
    return addressOf(kept) === addressOf(NOTHING) ? null : kept
  }
  return {
    async answer(path, parameters) {
      const page = Object.hasOwn(pages, path) ? pages[path] : undefined
      if (page === undefined) return undefined
      try {
        const finish = await populations.use(async (population) =>
          page(await askedBy(parameters, population, source.lastShift), population),
        )
        return await finish()
      } catch (error) {
        return refusal(error, await keptOf(parameters, error))
      }
    },
    close: () => populations.close(),
  }
}

/** @throws ConfigError for an unknown filter or value */
async function askedBy(
  parameters: URLSearchParams,
  { facets, known, reach }: Population,
  lastShift?: Source['lastShift'],
): Promise<Asked> {
  const filter = filterOf(parameters, facets)
  for (const { name, label, values: fixed = [] } of facets) {
    const values = [...new Set([...fixed, ...(known.get(name) ?? [])])]
    const unknown = filter.chosen.get(name)?.find((value) => !values.includes(value))
    if (unknown === undefined) continue
    const next = unknownName(
      unknown,
      values.length > 30 ? values.filter((one) => one.startsWith(unknown.slice(0, 3))) : values,
    )
    throw new ConfigError(`No incident has ${label.toLowerCase()} "${unknown}".`, { next })
  }
  const last = filter.period === SHIFT ? await lastShift?.() : null
  const { shift_start } = shiftBounds(last ?? null, reach.asOf)
  return { filter, facets, days: daysOf(filter.period, reach, shift_start) }
}

/** An address with more parameters than this is not searched for its valid part. */
const PARTS_MOST = 50

/** Returns the filter of all parameters that are valid, each together with those before it. The page is the first. */
async function validPart(parameters: URLSearchParams, population: Population): Promise<Filter> {
  let kept: [string, string][] = []
  for (const pair of [...parameters].filter(([name]) => name !== 'page')) {
    const more = [...kept, pair]
    const asked = askedBy(new URLSearchParams(more), population)
    kept = await asked.then(
      () => more,
      () => kept,
    )
  }
  return filterOf(new URLSearchParams(kept), population.facets)
}

async function shown(asked: Asked, population: Population): Promise<string> {
  const ask = async (statement: Statement) => objectsOf(await population.ask(statement))
  const [figures = {}] = await ask(figuresSql(asked))
  checkPage(asked.filter, Number(figures.incidents))
  const previous = previousOf(asked)
  const [before = null] =
    previous === null ? [] : await ask(figuresSql(previous, figures.is_survival === true))
  const unit = bucketOf(asked.days)
  const values = new Map<string, Counted[]>()
  for (const facet of asked.facets) {
    const rows = await ask(valuesSql(asked, facet))
    const counted = rows.map(({ value, incidents }) => ({
      value: String(value),
      incidents: Number(incidents),
    }))
    values.set(facet.name, counted)
  }
  const people = (await ask(peopleOf(asked))).map((row) => row as unknown as Person)
  const by = asked.facets.find(({ name }) => name === asked.filter.by)!
  const found = {
    ...{ figures, before, unit, values, people },
    history: await population.ask(historySql(asked, unit)),
    trend: asked.filter.person === null ? await population.ask(trendSql(asked, unit)) : null,
    parts: (await ask(breakdownSql(asked, by))) as unknown as readonly Part[],
    list: await population.ask(pageSql(asked)),
  }
  return explorePage(asked, found, population)
}

class NoPage extends ConfigError {}

function checkPage({ page }: Filter, total: number): void {
  const last = lastPage(total)
  if (page > last)
    throw new NoPage(`Page ${page} does not exist.`, {
      next: `The list has ${last === 1 ? 'one page' : `${last} pages`}.`,
    })
}

async function* csvOf(source: Source, { sql, parameters }: Statement): AsyncGenerator<string> {
  const { reader, close } = await openFor(CSV_MS, source)
  try {
    let header = ''
    for await (const { columns, rows } of reader.stream(sql, parameters)) {
      header ||= toCsv({ columns, rows: [] } as never)
      yield rows.length === 0 ? header : toCsv({ columns, rows } as never).slice(header.length)
    }
  } finally {
    close()
  }
}

/** Time limit of a download. It is long, because the client determines the speed. */
const CSV_MS = 600_000

/** Waits for the first part, so that the caller can still respond with an error page if it fails. */
async function begun(parts: AsyncGenerator<string>): Promise<AsyncIterable<string>> {
  const first = await parts.next()
  return (async function* () {
    try {
      if (!first.done) yield first.value
      yield* parts
    } finally {
      await parts.return(undefined)
    }
  })()
}

function refusal(error: unknown, kept: Filter | null): Answer {
  const status =
    error instanceof NoPage || error instanceof NoWarehouse ? 404 : error instanceof ConfigError ? 400 : 503
  const title = error instanceof NoWarehouse ? 'No data' : refusals[status]
  const sentences =
    error instanceof FaultlineError ? [error.message, error.next ?? ''].filter(Boolean) : UNEXPECTED
  return { status, type: HTML, body: wordsPage(title, sentences, kept) }
}
