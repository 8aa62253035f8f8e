import type { Chronicle, Version } from '../chronicle.ts'
import { greenOf, type Judge, type Ran, type Row, type Seen } from '../judge.ts'

const DAY = 86_400

interface Roles {
  readonly account_role_ids: readonly unknown[]
}

/** How to compare the table of one kind of record with the service. The judge `copy` compares incidents. */
interface Around {
  readonly table: 'members' | 'teams' | 'channels' | 'post_mortems'
  readonly key: string
  /** The number of days within which every record is read again, or 0 if every sync reads all records. */
  readonly days: number
  readonly select: string
  readonly says: (record: never) => string
  /**
   * A query for ids that stored rows refer to. If the service has a record with such an id, that record must be stored.
   */
  readonly named?: string
}

const AROUND: readonly Around[] = [
  {
    table: 'members',
    key: 'member_id',
    days: 0,
    // A privacy rule sometimes drops addresses, so only the judge `secrets` compares them.
    select: `concat_ws('|', member_name, status, is_external, epoch(updated_at)::bigint, (select string_agg(role_id::varchar, ',' order by ordinal)
      from member_roles where member_roles.member_id = members.member_id))`,
    says: (one: Readonly<Record<'member_name' | 'status' | 'is_external' | 'updated_at', unknown>> & Roles) =>
      `${one.member_name}|${one.status}|${one.is_external}|${one.updated_at}|${one.account_role_ids.join(',')}`,
  },
  {
    table: 'teams',
    key: 'team_id',
    days: 2,
    select: `concat_ws('|', team_name, (select string_agg(person_id::varchar, ',' order by ordinal)
      from team_members where team_members.team_id = teams.team_id))`,
    says: (one: { team_name: string; person_ids: unknown[] }) =>
      [one.team_name, ...(one.person_ids.length > 0 ? [one.person_ids.join(',')] : [])].join('|'),
    named: 'select team_id from channels where vanished_at is null',
  },
  {
    table: 'channels',
    key: 'channel_id',
    days: 8,
    select: "concat_ws('|', channel_name, status, team_id)",
    says: (one: { channel_name: string; status: string; team_id: unknown }) =>
      `${one.channel_name}|${one.status}|${one.team_id}`,
    named: 'select channel_id from incidents',
  },
  {
    table: 'post_mortems',
    key: 'post_mortem_id',
    days: 8,
    select: `concat_ws('|', title, status, epoch(updated_at)::bigint, content, (select string_agg(incident_id, ',' order by ordinal)
      from post_mortem_incidents where post_mortem_incidents.post_mortem_id = post_mortems.post_mortem_id))`,
    says: ({ meta, content }: { meta: Record<string, unknown>; content: { content: string } }) =>
      `${meta.title}|${meta.status}|${meta.updated_at_seconds}|${content.content}|${meta.incident_ids}`,
    named: 'select post_mortem_id from incidents',
  },
]

/**
 * Members must equal the service as of the last successful sync. Teams, channels and post-mortems may be as old as the
 * interval at which each of them is read again.
 */
export function around(): Judge {
  return {
    name: 'around',
    promise:
      'people, teams, channels and post-mortems equal the service within their turn, and who is gone is marked',
    async look(seen) {
      const last = greenOf(seen.history)
      if (last === undefined) return []
      const problems: string[] = []
      for (const one of AROUND) problems.push(...(await compare(one, seen, last)))
      return problems
    },
  }
}

async function compare(
  { table, key, days, select, says, named }: Around,
  seen: Seen,
  { green, shown }: { green: Ran; shown: Ran },
) {
  const from = days === 0 ? green.began : turnSince(seen.history, green, days)
  const chronicle = seen.company[table] as unknown as Chronicle<never>
  const rows = await seen.rows(`select ${key}::varchar as id, vanished_at, ${select} as says from ${table}`)
  const stored = new Map(rows.map((row) => [row.id as string, row]))
  // A failed sync may have stored a reference to a record before it could read the record itself.
  const names =
    named === undefined || green !== shown
      ? []
      : (await seen.rows(`select distinct id::varchar as id from (${named}) as names(id)`)).map(
          ({ id }) => id as string,
        )
  const ids = new Set([...(days === 0 ? chronicle.ids() : names), ...stored.keys()])
  return [...ids].flatMap((id) => {
    const record = `${table} ${id}`
    const row = stored.get(id)
    const isRefused = green.refused.has(record) || shown.refused.has(record)
    if (NOBODY.has(id) || (isRefused && row === undefined)) return []
    // A record that a row refers to must be read in the sync that stores the row, even if the record is not due yet.
    const since = isRefused ? seen.history[0]!.began : row === undefined ? green.began : from
    const wanted = chronicle.between(id, since, shown.ended)
    return isOneOf(wanted, row, says)
      ? []
      : `${record}: ${inWords(row)}, not ${wanted.map((version) => (version.record ? says(version.record) : 'gone')).join(' or ')}`
  })
}

/** Ids that stored rows use for "no record". */
const NOBODY: ReadonlySet<string> = new Set(['', '0'])

function isOneOf(
  wanted: readonly Version<never>[],
  row: Row | undefined,
  says: (record: never) => string,
): boolean {
  const isThere = row !== undefined && row.vanished_at === null
  return wanted.some(({ record }) => (record === null ? !isThere : isThere && says(record) === row.says))
}

const inWords = (row: Row | undefined) =>
  row === undefined ? 'missing' : `${row.says}${row.vanished_at === null ? '' : ', vanished'}`

/**
 * Returns the start of the newest successful sync that is at least `days` days older than `green`, or else of the first
 * sync.
 */
function turnSince(history: readonly Ran[], green: Ran, days: number): number {
  const before = history.filter(({ status, now }) => status === 'ok' && now <= green.now - days * DAY)
  return (before.at(-1) ?? history[0]!).began
}
