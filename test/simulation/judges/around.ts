import type { Chronicle, Version } from '../chronicle.ts'
import { greenOf, type Judge, type Ran, type Row, type Seen } from '../judge.ts'

const DAY = 86_400

/** What is read beside incidents: its key, how late it may be, and how its row says what the record says. */
interface Around {
  readonly table: 'members' | 'teams' | 'channels' | 'post_mortems'
  readonly key: string
  /** Days in which each record has had its turn; 0: in every sync. */
  readonly days: number
  readonly select: string
  readonly says: (record: never) => string
}

const AROUND: readonly Around[] = [
  {
    table: 'members',
    key: 'member_id',
    days: 0,
    select: "concat_ws('|', member_name, status, epoch(updated_at)::bigint)",
    says: (one: { member_name: string; status: string; updated_at: unknown }) =>
      `${one.member_name}|${one.status}|${one.updated_at}`,
  },
  {
    table: 'teams',
    key: 'team_id',
    days: 2,
    select: `concat_ws('|', team_name, (select string_agg(person_id::varchar, ',' order by ordinal)
      from team_members where team_members.team_id = teams.team_id))`,
    says: (one: { team_name: string; person_ids: unknown[] }) =>
      [one.team_name, ...(one.person_ids.length > 0 ? [one.person_ids.join(',')] : [])].join('|'),
  },
  {
    table: 'channels',
    key: 'channel_id',
    days: 8,
    select: "concat_ws('|', channel_name, status, team_id)",
    says: (one: { channel_name: string; status: string; team_id: unknown }) =>
      `${one.channel_name}|${one.status}|${one.team_id}`,
  },
  {
    table: 'post_mortems',
    key: 'post_mortem_id',
    days: 8,
    select: "concat_ws('|', title, status, epoch(updated_at)::bigint)",
    says: ({ meta }: { meta: Record<string, unknown> }) =>
      `${meta.title}|${meta.status}|${meta.updated_at_seconds}`,
  },
]

/** Members are as the service had them in the last green sync; teams, channels and post-mortems within their turn. */
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
  { table, key, days, select, says }: Around,
  seen: Seen,
  { green, shown }: { green: Ran; shown: Ran },
) {
  const from = days === 0 ? green.began : turnSince(seen.history, green, days)
  const chronicle = seen.company[table] as unknown as Chronicle<never>
  const rows = await seen.rows(`select ${key}::varchar as id, vanished_at, ${select} as says from ${table}`)
  const stored = new Map(rows.map((row) => [row.id as string, row]))
  // What nobody links to is not read; those that are read whole are there.
  const ids = days === 0 ? new Set([...chronicle.ids(), ...stored.keys()]) : stored.keys()
  return [...ids].flatMap((id) => {
    const wanted = chronicle.between(id, from, shown.ended)
    return isOneOf(wanted, stored.get(id), says)
      ? []
      : `${table} ${id}: ${inWords(stored.get(id))}, not ${wanted.map(({ record }) => (record ? says(record) : 'gone')).join(' or ')}`
  })
}

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

/** Where the newest green sync began before which a whole turn of so many days had passed. */
function turnSince(history: readonly Ran[], green: Ran, days: number): number {
  const before = history.filter(({ status, now }) => status === 'ok' && now <= green.now - days * DAY)
  return before.at(-1)?.began ?? 0
}
