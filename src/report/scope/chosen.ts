import { ConfigError, unknownName } from '../../errors.ts'
import type { Cell } from '../../warehouse/read/cell.ts'
import { narrow } from '../../warehouse/read/narrow.ts'
import type { Session } from '../../warehouse/read/reader.ts'
import { type Parameters, zone } from '../parse/parameters.ts'
import { frameSql } from './frame-sql.ts'

/** The accounts a report speaks of. */
export interface ChosenAccounts {
  /** Their numbers as texts, for `$accounts`; null: all. */
  readonly ids: string[] | null
  /** Their names for the head of a page; null where the warehouse holds only one. */
  readonly label: string | null
}

/**
 * Finds the accounts that were named, by name or number, and narrows the session to them.
 * @param wanted null: all
 * @throws ConfigError for one that the warehouse does not hold
 */
export async function chooseAccounts(
  session: Session,
  wanted: readonly string[] | null,
): Promise<ChosenAccounts> {
  const known = await accountsOf(session, null)
  const label = (some: readonly KnownAccount[]) =>
    known.length > 1 ? some.map(({ name }) => name).join(', ') : null
  if (wanted === null) return { ids: null, label: label(known) }
  const chosen = pick(known, wanted)
  const ids = chosen.map(({ id }) => id)
  if (chosen.length < known.length) await narrow(session, ids.map(BigInt))
  return { ids, label: label(chosen) }
}

/** An account of the warehouse: its number, and its name, else its number. */
export interface KnownAccount {
  readonly id: string
  readonly name: string
}

/** The accounts of the warehouse that were named, by name or number; null: all. @throws ConfigError for one that it does not hold */
export async function accountsOf(
  session: Session,
  wanted: readonly string[] | null,
): Promise<KnownAccount[]> {
  const { rows } = await session.query(frameSql('accounts'))
  const known = rows.map(([id, name]) => ({ id: String(id), name: String(name) }))
  return wanted === null ? known : pick(known, wanted)
}

function pick(known: readonly KnownAccount[], wanted: readonly string[]): KnownAccount[] {
  const matches = ({ id, name }: KnownAccount, one: string) =>
    id === one || name.toLowerCase() === one.toLowerCase()
  const unknown = wanted.find((one) => !known.some((account) => matches(account, one)))
  if (unknown !== undefined) {
    throw new ConfigError(`The warehouse holds no account "${unknown}".`, {
      next: unknownName(
        unknown,
        known.map(({ name }) => name),
      ),
    })
  }
  return known.filter((account) => wanted.some((one) => matches(account, one)))
}

/** The zone of the report, else the configuration's, else the account's, else UTC with a warning. */
export function pickZone(
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

/** The names of all teams that own an incident. */
export async function teamNames(session: Pick<Session, 'query'>): Promise<string[]> {
  const { rows } = await session.query(frameSql('teams'))
  return rows.map(([name]) => String(name))
}

/** @throws ConfigError for a team that owns no incident */
export async function checkTeams(session: Session, teams: readonly string[] | null): Promise<void> {
  if (!teams) return
  const known = await teamNames(session)
  const unknown = teams.find((team) => !known.includes(team))
  if (unknown === undefined) return
  throw new ConfigError(`No incident belongs to a team "${unknown}".`, { next: unknownName(unknown, known) })
}
