import { runAfter } from '../effects.ts'
import { WarehouseError } from '../errors.ts'
import { rulesReadBy } from '../judge/methodology-rules.ts'
import { localTime } from '../render/format.ts'
import { frameSql } from '../report/scope/frame-sql.ts'
import { policiesOf } from '../report/scope/policies.ts'
import { dimensionsIn, pickZone } from '../report/scope/report-filters.ts'
import type { ShiftEnd } from '../report/scope/shift.ts'
import type { Settings } from '../settings/settings.ts'
import { NoWarehouse } from '../warehouse/file/files.ts'
import type { Published } from '../warehouse/published.ts'
import { openReader, type Reader } from '../warehouse/read/reader.ts'
import type { Rows } from '../warehouse/read/rows.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import type { Session } from '../warehouse/read/session.ts'
import { type Facet, facetsOf } from './facets.ts'
import type { Reach } from './period-range.ts'
import {
  firstDaySql,
  knownSql,
  PEOPLE,
  POPULATION,
  peopleSql,
  populationSql,
  type Statement,
  timesSql,
} from './statements.ts'

/** The warehouse, and how to read it. */
export interface Source {
  readonly warehouse: Published
  readonly settings: Settings
  readonly timezone: string | undefined
  /** Returns the end of the last delivered handover. Without this function, a shift is 24 hours. */
  readonly lastShift?: () => Promise<ShiftEnd | null>
  /** Receives a notice if another program changed the warehouse file. */
  readonly warn?: (notice: string | undefined) => void
}

/** The incidents of the warehouse, copied to a table of one session, so that each click reads little data. */
export interface Population {
  readonly facets: readonly Facet[]
  /** The values that occur in the incidents, by facet name. */
  readonly known: ReadonlyMap<string, readonly string[]>
  readonly zone: string
  /** Time of the last sync. */
  readonly asOf: Date
  /** Time of the last sync as local time in `zone`. */
  readonly local: string
  readonly reach: Reach
  readonly rules: readonly { readonly term: string; readonly text: string }[]
  ask(statement: Statement): Promise<Rows>
}

/** DuckDB's memory limit. It is enough for a million incidents. With more, DuckDB uses the disk too. */
const MEMORY = '320MB'
/** Time limit for a query. After that, the session ends, and the next click loads the incidents again. */
const LIMIT_MS = 30_000

/** Loads the incidents on first use, and again after a sync has published new data. */
interface Populations {
  /** Runs a function on the loaded incidents. Their session stays open until the function has finished. */
  use<Result>(act: (population: Population) => Promise<Result>): Promise<Result>
  close(): void
}

interface Kept extends Population {
  close(): void
}

interface Made {
  readonly state: string | undefined
  readonly population: Promise<Kept>
  readonly running: Set<Promise<unknown>>
}

export function populationsOf(source: Source): Populations {
  const { warehouse } = source
  let made: Made | undefined
  const end = ({ population, running }: Made) =>
    population.then(
      async ({ close }) => {
        await Promise.allSettled(running)
        close()
      },
      () => undefined,
    )
  const forget = (one: Made) => {
    if (made === one) made = undefined
    void end(one)
  }
  const make = (state: string | undefined): Made => {
    // First waits until the previous session is closed, because two sessions would need twice the memory.
    const before = Promise.resolve(made && end(made))
    const one: Made = {
      state,
      running: new Set(),
      population: before.then(() => openPopulation(source, () => forget(one))),
    }
    one.population.catch(() => forget(one))
    return one
  }
  return {
    async use(act) {
      const state = await warehouse.state()
      if (made?.state !== state || made === undefined) made = make(state)
      const { population, running } = made
      const used = population.then(act)
      running.add(used)
      return used.finally(() => running.delete(used))
    },
    close() {
      if (made) forget(made)
    },
  }
}

/** Opens a reader that stops after `ms` milliseconds. The caller must close the reader. */
export async function openFor(
  ms: number,
  { warehouse, settings }: Source,
): Promise<{ reader: Reader; close(): void }> {
  const ending = new AbortController()
  const timer = runAfter(ms, () => ending.abort(tooLong(ms)))
  const reader = await openReader(warehouse, { memoryLimit: MEMORY, settings, signal: ending.signal }).catch(
    (error: unknown) => {
      clearTimeout(timer)
      throw error
    },
  )
  const close = () => {
    clearTimeout(timer)
    reader.close()
  }
  return { reader, close }
}

function tooLong(ms: number): WarehouseError {
  return new WarehouseError(`The query exceeded ${ms / 1_000} s and was canceled.`, {
    next: 'Choose a shorter period, or use `faultline sql`.',
  })
}

/** Calls `forget` when a query exceeds its time limit, because the session is then unusable. */
async function openPopulation(source: Source, forget: () => void): Promise<Kept> {
  const reader = await openReader(source.warehouse, { memoryLimit: MEMORY, settings: source.settings })
  source.warn?.(reader.notice)
  try {
    return await keptBy(reader, source, forget)
  } catch (error) {
    reader.close()
    throw error
  }
}

async function keptBy(reader: Reader, source: Source, forget: () => void): Promise<Kept> {
  const session = await reader.session()
  const [read = {}] = objectsOf(await session.query(frameSql('as-of')))
  const asOf = read.as_of_at
  if (!(asOf instanceof Date)) throw new NoWarehouse('No data yet.', { next: 'Run `faultline sync` first.' })
  const { timezone: zone } = pickZone({ timezone: null }, source.timezone, read.account_time_zone)
  const facets = facetsOf(await dimensionsIn(session))
  await session.keep(POPULATION, populationSql(facets), { parameters: { zone } })
  await session.keep(PEOPLE, peopleSql)
  const rowsOf = async (sql: string) => (await session.query(sql)).rows.map(([value]) => String(value))
  const local = localTime(asOf, zone)
  const last = local.slice(0, 10)
  const [first = last] = await rowsOf(firstDaySql)
  const known = new Map<string, readonly string[]>()
  for (const facet of facets) known.set(facet.name, await rowsOf(knownSql(facet)))
  const ask = (statement: Statement) => withinLimit(session, statement, forget)
  const statements = [populationSql(facets), peopleSql, timesSql]
  const rules = await rulesReadBy(session, statements, READ, await policiesOf(session))
  const reach = { first: first < last ? first : last, last, asOf, zone }
  return { facets, known, zone, asOf, local, reach, rules, ask, close: () => reader.close() }
}

/** Views and columns whose definitions the page shows, although the statements do not contain their names. */
const READ = [
  ['is_merged_away', null],
  ['as_of', null],
  ['incident_times', 'is_muted'],
  ['incident_times', 'incident_severity'],
] as const

async function withinLimit(
  session: Session,
  { sql, parameters }: Statement,
  forget: () => void,
): Promise<Rows> {
  const timer = runAfter(LIMIT_MS, () => {
    forget()
    session.stop(tooLong(LIMIT_MS))
  })
  try {
    return await session.query(sql, parameters)
  } finally {
    clearTimeout(timer)
  }
}
