import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import { localTime, numberOf } from '../../render/format.ts'
import type { Coverage, Frame } from '../../render/result.ts'
import { ALL_SEVERITIES, ALL_TEAMS } from '../../render/summary.ts'
import { insertValues, type QueryParameters } from '../../warehouse/read/bind.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import type { Session } from '../../warehouse/read/session.ts'
import { ownMeasures } from '../metrics/own-measures.ts'
import type { Parameters } from '../parse/parameters.ts'
import { namesRead } from '../referenced-names.ts'
import { dataEnd, emptyWarehouse } from './data-end.ts'
import { frameSql } from './frame-sql.ts'
import { periodLabel } from './frame-text.ts'
import { daysBetween, startOfDay } from './local-date.ts'
import { boundsOf, type Dates, isReached, resolvePeriod } from './period.ts'
import { type Policies, policiesOf } from './policies.ts'
import {
  ALL,
  type Chosen,
  type ChosenAccounts,
  chooseAccounts,
  chosenIn,
  dimensionsIn,
  pickZone,
} from './report-filters.ts'
import { type ShiftEnd, shiftBounds } from './shift.ts'

/** A session in which the relations of a report are ready, and facts for the report’s page. */
export interface OpenFrame {
  frame: Omit<Frame, 'coverage' | 'incomplete'>
  coverage: Coverage
  bound: QueryParameters
  policies: Policies
  /** Whether the data covers both periods, so that changes can be tested. */
  comparable: boolean
  /** The Mondays of all complete weeks until the end of the period. */
  wholeWeeks: ReadonlySet<string>
  /** Local time of the first incident. Null in an empty warehouse. */
  firstAt: string | null
  /** Why times are in UTC. Null if a time zone is set. */
  zoneProblem: ReturnType<typeof pickZone>['problem']
  /** Whether the data of a scheduled report ends before its period. */
  endsEarly: boolean
  /** Creates a relation `scoped_…`, which is shared by reports with the same period and filters. */
  keep(relation: string, sql: string): Promise<void>
}

/**
 * Computes the period from the end of the data, not the current time, so that a late run gives the same report.
 * @throws ConfigError for an unknown team or account
 * @throws WarehouseError if the warehouse has no data
 */
export async function openFrame(
  session: Session,
  parameters: Parameters,
  options: {
    defaultTimezone?: string | undefined
    accounts?: ChosenAccounts | undefined
    rows?: boolean
    queries?: readonly string[]
    shift?: ShiftEnd | null | undefined
    /** Local date that determines `last month` (default: the date of `dueAt`, or of the end of the data). */
    seenFrom?: string | undefined
    /** Due time of a scheduled report in Unix ms. */
    dueAt?: number | undefined
  } = {},
): Promise<OpenFrame> {
  const rows = options.rows ?? true
  const accounts = options.accounts ?? (await chooseAccounts(session, rows ? parameters.accounts : undefined))
  const { asOf, from: coveredFrom, zone } = await dataEnd(session)
  if (!asOf && rows) throw emptyWarehouse()
  const { timezone, problem: zoneProblem } = pickZone(parameters, options.defaultTimezone, zone)
  const chosen = rows ? await chosenIn(session, parameters) : ALL

  // An empty warehouse has no end of data. Checks can still run, with a date that is after all periods.
  const seen = asOf ?? new Date('9000-01-01T00:00:00Z')
  const local = localTime(seen, timezone)
  const dates = datesOf(parameters, options, timezone, seen)
  const policies = await policiesOf(session)
  const bounds = boundsOf(dates, chosen, timezone, seen, coveredFrom, accounts.ids)
  const reaches = coveredFrom !== null && coveredFrom <= startOfDay(dates.previousFrom, timezone)
  const coverage = rows ? await coverageOf(session, bounds, timezone) : unread
  const comparable = reaches && (!rows || (await isComparable(session, bounds, timezone, coverage)))
  const bound: QueryParameters = {
    ...bounds,
    ack_policy: policies.ack,
    cohort: policies.cohort,
    bucket: daysBetween(dates.from, dates.to) > 371 ? 'month' : 'week',
    is_compared: comparable,
    ...shiftBounds(options.shift ?? null, seen),
  }
  const keep = await makeScope(session, bound, policies, options.queries ?? [], rows)
  const weeks = await session.read('scoped_weeks')
  return {
    frame: {
      timezone,
      ...{ from: dates.from, to: dates.to },
      asOf: local,
      asOfInstant: seen,
      label: periodLabel(dates),
      ...(bound.bucket === 'month' && { bucket: 'month' as const }),
      span: dates.span,
      previousLabel: comparable ? periodLabel({ from: dates.previousFrom, to: dates.from }) : null,
      accounts: accounts.label,
      ...chosenText(chosen),
      ...(await eventsOf(session, chosen.teams)),
    },
    coverage,
    bound,
    policies,
    comparable,
    wholeWeeks: new Set(
      objectsOf(weeks).flatMap(({ week, period, is_partial: isPartial }) =>
        period === 'running' || isPartial !== false ? [] : String(week),
      ),
    ),
    firstAt: coveredFrom && localTime(coveredFrom, timezone),
    zoneProblem,
    endsEarly: options.dueAt !== undefined && !isReached(dates, timezone, seen),
    keep,
  }
}

function datesOf(
  { period }: Pick<Parameters, 'period'>,
  { seenFrom, dueAt }: { readonly seenFrom?: string | undefined; readonly dueAt?: number | undefined },
  timezone: string,
  seen: Date,
): Dates {
  const from = seenFrom ?? localTime(dueAt === undefined ? seen : new Date(dueAt), timezone)
  return resolvePeriod(period, from.slice(0, 10))
}

async function eventsOf(session: Session, teams: Chosen['teams']): Promise<Pick<Frame, 'events'>> {
  const rows = objectsOf(await session.query(frameSql('events')))
  const isChosen = (name: unknown) => teams?.includes(String(name))
  const events = rows
    .filter(({ team_names: names }) => !teams || !Array.isArray(names) || names.some(isChosen))
    .map(({ name, day }) => ({ name: String(name), day: String(day) }))
  return events.length > 0 ? { events } : {}
}

function chosenText({ teams, severities, dimensions }: Chosen) {
  const values = [...dimensions].map(([name, values]) => `${name}: ${values.join(', ')}`)
  return {
    teams: teams?.join(', ') ?? ALL_TEAMS,
    severities: severities?.join(', ') ?? ALL_SEVERITIES,
    ...(values.length > 0 && { dimensions: values.join('; ') }),
  }
}

/** Relations that are created only if a query reads them. */
const onRequest =
  'open others pages pages_earlier pages_now survival samples firsts families targets targets_earlier months year'
    .split(' ')
    .map((name) => `scoped_${name}`)

/** The relation with the incidents of a shift. Each report has its own, because shifts differ. */
const SHIFT = 'shift_incidents'

/** Creates the views and tables of the report. @returns a function that adds a table */
async function makeScope(
  session: Session,
  bound: QueryParameters,
  { cohort }: Policies,
  queries: readonly string[],
  rows: boolean,
): Promise<OpenFrame['keep']> {
  // Computes custom measures only if a query reads them, because they are expensive.
  const isMeasured = queries.some((sql) => /\b(open_)?measures\b/i.test(sql.replace(/--.*/g, '')))
  const measures = isMeasured ? (await ownMeasures(session)).map(({ name }) => name) : []
  // Reports with the same period share relations (`warehouse/read/pool.ts`), so these must not depend on the shift.
  const { shift_start: _, shift_runs: __, ...shared } = bound
  const parameters = { ...shared, is_measured: measures.length > 0 }
  const kept = new Set<string>()
  const keepAs = async (relation: string, sql: string) => {
    if (kept.has(relation)) return
    await session.keep(relation, insertValues(sql, parameters), {
      parameters,
      rows,
      large: bound.accounts === null,
    })
    kept.add(relation)
  }
  const keep = (relation: string) => keepAs(relation, frameSql(relation.replaceAll('_', '-')))
  // The macros defined next read this relation.
  await keep('scoped_periods')
  await session.define(frameSql('macros'))
  await session.define(insertValues(frameSql(`cohort-${cohort}`), parameters))
  await session.define(frameSql(`bucket-${bound.bucket}`))
  const measured = frameSql('scoped-measures')
    .replace('null as measures', () => `${structOf('seconds', measures)} as measures`)
    .replace('null as open_measures', () => `${structOf('open_s', measures)} as open_measures`)
    .replace("'-infinity'::timestamptz", (all) => (cohort === 'started' ? START_OF_BEFORE : all))
  await keepAs('scoped_measures', measures.length > 0 ? measured : frameSql('no-measures'))
  await session.define(
    frameSql(bound.ack_policy === 'first_action' ? 'answers-first-action' : 'answers-none'),
  )
  await keep('scoped_kept')
  const dimensions = await dimensionsIn(session)
  const columns = dimensions
    .map((one) => `,\n  dimensions[${quoteLiteral(one)}] as ${quoteIdentifier(one)}`)
    .join('')
  const incidents = frameSql('scoped-incidents').replace(' as recover', (last) => last + columns)
  await session.define(incidents)
  await session.define(earlierLike(incidents))
  await session.define(frameSql('scoped-details'))
  await keep('scoped_weeks')
  await keep('scoped_places')
  await session.define(insertValues(frameSql('usual-before'), parameters))
  await keep('scoped_silences')
  await keep('scoped_bursts')
  await session.define(frameSql('is-in-spike'))
  const read = await namesRead(session, queries)
  for (const relation of onRequest) if (read.has(relation)) await keep(relation)
  if (read.has(SHIFT)) await session.keep(SHIFT, frameSql('shift-incidents'), { parameters: bound, rows })
  return keepAs
}

/** SQL for the start of the 12 weeks before both periods. */
const START_OF_BEFORE = '$previous_start::timestamptz - interval 84 day'

/** SQL for the incidents of the 12 weeks before both periods, which show how much weeks vary. */
const earlierLike = (incidents: string) =>
  incidents
    .replace('view scoped_incidents', 'view scoped_earlier')
    .replace("period <> 'earlier'", "period = 'earlier'")

function structOf(figure: string, measures: readonly string[]): string {
  if (measures.length === 0) return 'null::map(varchar, double)'
  const each = measures.map(
    (one) => `${quoteLiteral(one)}: any_value(${figure}) filter (measure = ${quoteLiteral(one)})`,
  )
  return `{${each.join(', ')}}`
}

/** Figures are compared only if the coverage of both periods is at least this high. */
const LEAST_READ = 0.99

async function isComparable(
  session: Session,
  bounds: QueryParameters,
  timezone: string,
  coverage: Coverage,
): Promise<boolean> {
  const before = { ...bounds, period_start: bounds.previous_start!, period_end: bounds.period_start! }
  const both = [coverage, await coverageOf(session, before, timezone)]
  return both.every(({ share }) => (share ?? 1) >= LEAST_READ)
}

const unread: Coverage = { share: null, gaps: [] }

/** Returns the mean coverage over all accounts. See `reports/frame/coverage.sql`. */
async function coverageOf(session: Session, bound: QueryParameters, timezone: string): Promise<Coverage> {
  const stretches = objectsOf(await session.query(frameSql('coverage'), bound))
  const [first] = stretches
  if (!first) return unread
  const local = (value: unknown) => (value instanceof Date ? localTime(value, timezone) : null)
  return {
    share: numberOf(first.share),
    gaps: stretches.flatMap((each) => {
      const [from, to] = [local(each.gap_from), local(each.gap_to)]
      return from !== null && to !== null ? [{ from, to }] : []
    }),
  }
}
