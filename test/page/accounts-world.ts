import type { DuckDBConnection } from '@duckdb/node-api'
import { insert } from '../support/tables.ts'

const DAY = 86_400
/** Times of the last read. The data of EMEA is a day older than that of APAC. */
export const EMEA = { account_id: 7, asOf: Date.UTC(2026, 9, 31) / 1_000, name: 'EMEA' }
export const APAC = { account_id: 8, asOf: Date.UTC(2026, 10, 1) / 1_000, name: null }

/**
 * Two accounts that use the same ids. EMEA has an incident every day. APAC has an incident every second day, with
 * another team.
 */
export async function settleTwoAccounts(connection: DuckDBConnection): Promise<void> {
  const rows = [EMEA, APAC].map(({ account_id, asOf, name }, which) => {
    const incidents = Array.from({ length: 120 / (which + 1) }, (_, index) => {
      const start_time = asOf - (index * (which + 1) + 0.5) * DAY
      return {
        account_id,
        incident_id: `i${index}`,
        start_time,
        ack_time: start_time + 60 * (which + 1),
        close_time: start_time + 600,
        end_time: start_time + 300,
        created_at: start_time,
        progress: 'Closed',
        closer_id: 1,
        incident_severity: 'Critical',
        channel_id: 5,
        account_time_zone: 'UTC',
      }
    })
    const responders = incidents.map(({ incident_id, start_time }) => ({
      account_id,
      incident_id,
      ordinal: 0,
      person_id: 9,
      assigned_at: start_time,
    }))
    return {
      incidents,
      incident_responders: responders,
      accounts: [{ account_id, name }],
      channels: [{ account_id, channel_id: 5, channel_name: `channel ${which}`, team_id: 6 }],
      teams: [{ account_id, team_id: 6, team_name: `team ${which}` }],
      members: [{ account_id, member_id: 9, member_name: `person ${which}` }],
      sync_runs: [{ run_id: which, account_id, status: 'ok', finished_at: asOf + 9, as_of_at: asOf }],
      sync_windows: [
        {
          account_id,
          run_id: which,
          resource: 'incidents',
          window_start: asOf - 365 * DAY,
          window_end: asOf,
          state: 'done',
        },
      ],
    }
  })
  for (const table of Object.keys(rows[0]!) as (keyof (typeof rows)[0])[]) {
    await insert(
      connection,
      table,
      rows.flatMap((one): object[] => one[table]),
    )
  }
}
