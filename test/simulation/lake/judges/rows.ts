import { differencesOf, storedIncidents } from '../../../support/truth.ts'
import type { Judge, Seen } from '../judge.ts'

/** Columns that identify the rows of a table, besides the account. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  incidents: ['incident_id'],
  incident_responders: ['incident_id', 'ordinal'],
  incident_versions: ['incident_id', '_hash', '_seen_at'],
  channels: ['channel_id'],
  teams: ['team_id'],
  team_members: ['team_id', 'ordinal'],
  members: ['member_id'],
  member_roles: ['member_id', 'ordinal'],
  quarantine: ['resource', 'payload'],
  sync_checks: ['resource', 'id'],
  sync_runs: ['run_id'],
  sync_windows: ['run_id', 'resource', 'window_id'],
  lake_tables: ['table_name', 'publication'],
  accounts: [],
}

export function rows(): Judge {
  return {
    name: 'rows',
    promise: 'no row is doubled, and what is stored is what the service has',
    look: async (seen) => [...(await doubled(seen)), ...(await unlike(seen)), ...(await strangers(seen))],
  }
}

async function doubled({ rows }: Seen): Promise<string[]> {
  const found: string[] = []
  for (const [table, key] of Object.entries(KEYS)) {
    const columns = ['account_id', ...key].join(', ')
    const [row] = await rows(
      `select sum(n)::int as more from (select count(*) - 1 as n from ${table} group by ${columns})`,
    )
    if (row?.more) found.push(`${row.more} rows of ${table} are there more than once`)
  }
  return found
}

/** Compares only incidents, because a sync writes all other records in the same transactions. */
async function unlike({ rows, truth }: Seen): Promise<string[]> {
  const found: string[] = []
  for (const [account, records] of truth) {
    const stored = await storedIncidents((sql) =>
      rows(`with incidents as (from main.incidents where account_id = ${account}),
        incident_responders as (from main.incident_responders where account_id = ${account}) ${sql}`),
    )
    for (const record of records) {
      const [row] = stored.get(String(record.incident_id)) ?? []
      found.push(
        ...(row === undefined ? [`${record.incident_id} is missing`] : differencesOf({ ...record }, row)),
      )
      stored.delete(String(record.incident_id))
    }
    found.push(...[...stored.keys()].map((id) => `${id} of account ${account} is not on the service`))
  }
  return found.slice(0, 10)
}

async function strangers({ rows, truth }: Seen): Promise<string[]> {
  const found: string[] = []
  for (const table of Object.keys(KEYS)) {
    const others = await rows(
      `select distinct account_id::int as account from ${table} where account_id not in (${[...truth.keys()].join(', ')})`,
    )
    found.push(...others.map(({ account }) => `${table} holds rows of account ${account}, which is nobody's`))
  }
  return found
}
