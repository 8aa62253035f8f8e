import { ConfigError, ReportError, unknownName } from '../../errors.ts'
import { severities } from '../../render/drawing/category.ts'
import { filterByAccount, isCopied } from '../../warehouse/read/account-filter.ts'
import type { Cell } from '../../warehouse/read/cell.ts'
import { pooled } from '../../warehouse/read/pool.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import type { Session } from '../../warehouse/read/session.ts'
import { type Asked, namesIn, type Parameters, zone } from '../parse/parameters.ts'
import type { Place, Tell } from '../parse/report-errors.ts'
import { frameSql } from './frame-sql.ts'

export interface ChosenAccounts {
  /** Account ids as text, for the parameter `$accounts`. Null means all. */
  readonly ids: string[] | null
  /** Account names to show on the page. Null if the warehouse has only one account. */
  readonly label: string | null
}

/** Finds accounts by name or id, and limits the session to them. @throws ConfigError for an unknown account */
export async function chooseAccounts(session: Session, wanted: Asked): Promise<ChosenAccounts> {
  const known = await accountsIn(session)
  const accounts = choiceOf(known, pickAccounts(known, wanted))
  if (namesIn(wanted, namesOf(known)) === null) return { ...accounts, ids: null }
  if (accounts.ids.length < known.length) await filterByAccount(session, accounts.ids.map(BigInt))
  return accounts
}

export interface Sessions extends Pick<Reader, 'session'> {
  /** The accounts to which the sessions are limited. Reports cannot choose others. */
  readonly accounts?: ChosenAccounts
}

/** Returns sessions that contain only the rows of one account. @param known all accounts */
export async function sessionsOf(
  reader: Reader,
  account: KnownAccount,
  known: readonly KnownAccount[],
): Promise<Sessions & { close(): void }> {
  const id = BigInt(account.id)
  const copied = await isCopied(reader, id)
  const own = {
    async session() {
      const session = await reader.session()
      await filterByAccount(session, [id], { copied })
      return session
    },
  }
  return { ...pooled(own, { timesKept: copied }), accounts: choiceOf(known, [account]) }
}

function choiceOf(known: readonly KnownAccount[], chosen: readonly KnownAccount[]) {
  const label = known.length > 1 ? namesOf(chosen).join(', ') : null
  return { ids: chosen.map(({ id }) => id), label }
}

/** An account in the warehouse. If it has no name, `name` is its id. */
export interface KnownAccount {
  readonly id: string
  readonly name: string
}

const namesOf = (accounts: readonly KnownAccount[]) => accounts.map(({ name }) => name)

export async function accountsIn(session: Pick<Session, 'query'>): Promise<KnownAccount[]> {
  const { rows } = await session.query(frameSql('accounts'))
  return rows.map(([id, name]) => ({ id: String(id), name: String(name) }))
}

/** Finds accounts by name or id. @throws ConfigError for an unknown account */
export function pickAccounts(known: readonly KnownAccount[], asked: Asked): readonly KnownAccount[] {
  const names = namesOf(known)
  const wanted = namesIn(asked, names)
  if (wanted === null) return known
  const matches = ({ id, name }: KnownAccount, one: string) =>
    id === one || name.toLowerCase() === one.toLowerCase()
  const unknown = wanted.find((one) => !known.some((account) => matches(account, one)))
  if (unknown !== undefined)
    throw new ConfigError(`The warehouse has no account "${unknown}".`, { next: unknownName(unknown, names) })
  return known.filter((account) => wanted.some((one) => matches(account, one)))
}

/** Uses the time zone of the report, the configuration or the account. Otherwise uses UTC, and returns the problem. */
export function pickZone(
  { timezone }: Pick<Parameters, 'timezone'>,
  fallback: string | undefined,
  account: Cell | undefined,
): { timezone: string; problem: 'unset' | 'unknown' | null } {
  const chosen = timezone ?? fallback
  if (chosen) return { timezone: zone(chosen), problem: null }
  if (typeof account !== 'string') return { timezone: 'UTC', problem: 'unset' }
  try {
    return { timezone: zone(account), problem: null }
  } catch {
    return { timezone: 'UTC', problem: 'unknown' }
  }
}

type Queries = Pick<Session, 'query'>

export interface KnownTeam {
  readonly name: string
  readonly account: string
  /** The team’s id in the incident service. Null for incidents without a team. */
  readonly id: string | null
}

/** Returns all teams with incidents. A team with incidents in several accounts is returned once per account. */
export async function teamsIn(session: Queries): Promise<KnownTeam[]> {
  const { rows } = await session.query(frameSql('teams'))
  return rows.map(([name, account, id]) => ({
    name: String(name),
    account: String(account),
    id: id === null ? null : String(id),
  }))
}

/** Ignores spaces around names. Null means all teams. @throws ConfigError for a team without incidents */
export async function pickTeams(session: Queries, asked: Asked): Promise<string[] | null> {
  if (asked === undefined || (typeof asked === 'string' && /^\s*(all\s*)?$/i.test(asked))) return null
  const known = [...new Set((await teamsIn(session)).map(({ name }) => name))]
  const wanted = namesIn(asked, known)
  if (!wanted) return null
  return wanted.map((one) => {
    const name = known.includes(one) ? one : known.find((each) => each.trim() === one)
    if (name !== undefined) return name
    throw new ConfigError(`No incident belongs to the team "${one}".`, { next: unknownName(one, known) })
  })
}

/** Finds severities in the API documentation or in incidents. @throws ConfigError for an unknown severity */
export async function pickSeverities(session: Queries, asked: Asked): Promise<string[] | null> {
  const isOf = (name: string) => (known: string) => known.toLowerCase() === name.toLowerCase()
  const usual = namesIn(asked)?.map((name) => severities.find(isOf(name))) ?? []
  if (usual.every((name) => name !== undefined)) return usual.length > 0 ? usual : null
  const { rows } = await session.query(frameSql('severities'))
  const known = [...new Set([...severities, ...rows.map(([name]) => String(name))])]
  return namesIn(asked, known)!.map((one) => {
    const name = known.includes(one) ? one : known.find(isOf(one))
    if (name !== undefined) return name
    throw new ConfigError(`"${one}" is not a severity.`, { next: unknownName(one, known) })
  })
}

/** Reports an unknown severity in the front matter, because the report would be empty. */
export async function checkSeverities(
  session: Session,
  { paramsAt }: { readonly paramsAt: Place },
  { severities }: Parameters,
  tell: Tell,
): Promise<void> {
  try {
    await pickSeverities(session, severities)
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    tell(new ReportError(cause.message, paramsAt, { cause, next: cause.next }))
  }
}

export async function dimensionsIn(session: Queries): Promise<string[]> {
  const { rows } = await session.query('from config_dimensions')
  return rows.map(([name]) => String(name))
}

/** Returns the values of a dimension, starting with the most frequent one. */
export async function valuesIn(session: Queries, dimension: string): Promise<string[]> {
  const { rows } = await session.query(frameSql('dimension-values'), { dimension })
  return rows.map(([value]) => String(value))
}

/** Finds dimension values. @throws ConfigError for an unknown dimension, or a value without incidents */
export async function pickDimensions(session: Queries, asked: Parameters['dimensions']) {
  const chosen = new Map<string, readonly string[]>()
  const dimensions = asked.size === 0 ? [] : await dimensionsIn(session)
  for (const [name, written] of asked) {
    const known = dimensions.includes(name) ? await valuesIn(session, name) : []
    const values = namesIn(written, known)
    if (values === null) continue
    if (!dimensions.includes(name)) {
      throw new ConfigError(`Unknown dimension "${name}".`, {
        next: dimensions.length > 0 ? unknownName(name, dimensions) : 'Define it in `reporting.dimensions`.',
      })
    }
    const unknown = values.find((value) => !known.includes(value))
    if (unknown !== undefined) {
      const next = unknownName(unknown, known)
      throw new ConfigError(`No incident has the ${name} "${unknown}".`, { next })
    }
    chosen.set(name, values)
  }
  return chosen
}

/** The selected names, spelled as in the warehouse. Null means all. */
export interface Chosen {
  readonly teams: string[] | null
  readonly severities: string[] | null
  readonly dimensions: ReadonlyMap<string, readonly string[]>
}

/** @throws ConfigError for an unknown team, severity, dimension or dimension value */
export async function chosenIn(
  session: Queries,
  { teams, severities, dimensions }: Pick<Parameters, 'teams' | 'severities' | 'dimensions'>,
): Promise<Chosen> {
  return {
    teams: await pickTeams(session, teams),
    severities: await pickSeverities(session, severities),
    dimensions: await pickDimensions(session, dimensions),
  }
}

/** No filters, for checks that count no incidents. */
export const ALL: Chosen = { teams: null, severities: null, dimensions: new Map() }
