import { ConfigError, WarehouseError } from '../errors.ts'
import { localTime } from '../render/local-time.ts'
import type { Coverage, Frame } from '../render/result.ts'
import { unknownName } from '../suggest.ts'
import type { Cell } from '../warehouse/cell.ts'
import type { Parameters as Bound, Session } from '../warehouse/reader.ts'
import { boundsOf } from './bounds.ts'
import { chooseAccounts } from './choose-accounts.ts'
import { coverageOf } from './coverage.ts'
import { frameFacts } from './frame-facts.ts'
import { frameSql } from './frame-sql.ts'
import { startOfDay } from './local-date.ts'
import { makeScope } from './make-scope.ts'
import { type Parameters, zone } from './parameters.ts'
import { resolvePeriod } from './period.ts'
import { type Policies, policiesOf } from './policies.ts'
import { objectsOf } from './rows.ts'
import { dispersion } from './statistics/count-ratio.ts'

/** A session in which `scoped_incidents` and `scoped_weeks` exist, and what the page says of them. */
export interface OpenFrame {
  frame: Frame
  coverage: Coverage
  /** What a query can use as `$name`. */
  bound: Bound
  policies: Policies
  /** The previous period lies wholly in the data, so that a change can be judged. */
  comparable: boolean
  /** How much more the weekly counts vary than a Poisson process would; see `dispersion`. */
  dispersion: number
  /** Mondays of the weeks that are over and wholly covered. */
  wholeWeeks: ReadonlySet<string>
  warnings: string[]
}

/**
 * Works out the period, seen from the moment the data was read and never from the clock, and makes the relations that
 * queries read. With `rows: false` they stay empty. Throws `ConfigError` for a team or an account that does not exist and
 * `WarehouseError` when nothing was ever read.
 */
export async function openFrame(
  session: Session,
  parameters: Parameters,
  options: {
    defaultTimezone?: string | undefined
    rows?: boolean
    /** The texts of the report's queries. */
    queries?: readonly string[]
  } = {},
): Promise<OpenFrame> {
  const rows = options.rows ?? true
  const accounts = await chooseAccounts(session, rows ? parameters.accounts : null)
  const [known = {}] = objectsOf(await session.query(frameSql('as-of')))
  const asOf = known.as_of_at instanceof Date ? known.as_of_at : null
  if (!asOf && rows) {
    throw new WarehouseError('The warehouse is empty: nothing was read yet.', {
      next: 'Run `faultline sync` first.',
    })
  }
  const warnings: string[] = []
  const timezone = pickZone(parameters, options.defaultTimezone, known.account_time_zone, warnings)
  if (rows) await checkTeams(session, parameters.teams)

  // Without data any day will do; a check computes nothing. A named period has begun by then.
  const seen = asOf ?? new Date('9000-01-01T00:00:00Z')
  const local = localTime(seen, timezone)
  const dates = resolvePeriod(parameters.period, local.slice(0, 10))
  const coveredFrom = known.covered_from instanceof Date ? known.covered_from : null
  const policies = await policiesOf(session)
  const bound = {
    ...boundsOf(dates, parameters, timezone, seen, coveredFrom, accounts.ids),
    ack_policy: policies.ack,
  }
  await makeScope(session, { bound, policies, queries: options.queries ?? [], rows })
  const weeks = await session.read('scoped_weeks')
  const comparable = coveredFrom !== null && coveredFrom <= startOfDay(dates.previousFrom, timezone)
  const coverage = rows ? await coverageOf(session, bound, timezone) : { share: null, gaps: [], readAt: null }
  return {
    frame: frameFacts(dates, parameters, {
      timezone,
      local,
      seen,
      coveredFrom,
      comparable,
      coverage,
      accounts: accounts.label,
    }),
    coverage,
    bound,
    policies,
    comparable,
    dispersion: await weeklyDispersion(session),
    wholeWeeks: new Set(weeks.rows.filter((row) => row[2] === false).map((row) => String(row[0]))),
    warnings,
  }
}

/** From what was read to what was counted; see `reports/frame/funnel.sql`. */
export async function funnel(session: Session, bound: Bound): Promise<{ label: string; count: number }[]> {
  const { rows } = await session.query(frameSql('funnel'), bound)
  return rows.map(([label, count]) => ({ label: String(label), count: Number(count) }))
}

function pickZone(
  { timezone }: Parameters,
  fallback: string | undefined,
  account: Cell | undefined,
  warnings: string[],
): string {
  if (timezone ?? fallback) return zone((timezone ?? fallback)!)
  try {
    if (typeof account === 'string') return zone(account)
    warnings.push('No time zone is set in the report, the configuration or the account: UTC is used.')
  } catch {
    warnings.push(`The account's time zone is not known here: UTC is used.`)
  }
  return 'UTC'
}

async function checkTeams(session: Session, teams: readonly string[] | null): Promise<void> {
  if (!teams) return
  const { rows } = await session.query(frameSql('teams'))
  const known = rows.map(([name]) => String(name))
  const unknown = teams.find((team) => !known.includes(team))
  if (unknown === undefined) return
  throw new ConfigError(`No incident belongs to a team "${unknown}".`, { next: unknownName(unknown, known) })
}

async function weeklyDispersion(session: Session): Promise<number> {
  const { rows } = await session.query(frameSql('weekly-counts'))
  const groups = ['previous', 'current'].map((period) =>
    rows.filter((row) => row[0] === period).map((row) => Number(row[1])),
  )
  return dispersion(groups)
}
