import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { runReport } from '../../src/page/run-report.ts'
import { writeReport } from '../../src/page/write-report-files.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import { oddWorlds } from '../page/odd-worlds.ts'
import { openReader } from '../support/storage.ts'
import { fill } from '../support/tables.ts'
import { settleUci498, uci498 } from '../support/warehouse.ts'
import { asOf, inhabit } from '../support/world.ts'
import { settleHostile } from './hostile.ts'

/** Sizes of a generated company. The same sizes always generate the same company. */
interface Sizes {
  incidents: number
  days?: number
  teams?: number
  /** Share of this severity. The rest of the incidents are Info. */
  critical?: number
  warning?: number
  open?: number
  /** Prefix of names and titles. */
  words?: string
}

const objects = '(select unnest(from_json($1::json, \'["json"]\')) as json)'

function settle(sizes: Sizes): (connection: DuckDBConnection) => Promise<void> {
  const { incidents, days = 200, teams = 4, critical = 0.1, warning = 0.3, open = 0.02 } = sizes
  const { words = 'Payments platform' } = sizes
  return async (connection) => {
    const all = Array.from({ length: teams }, (_, k) => k + 1)
    const rows = {
      teams: all.map((team_id) => ({
        team_id,
        team_name: `${words} ${team_id}`,
        person_ids: [team_id],
      })),
      channels: all.map((channel_id) => ({
        channel_id,
        channel_name: `${words} alerts ${channel_id}`,
        team_id: channel_id,
        status: 'enabled',
      })),
      sync_runs: [{ run_id: 1, status: 'ok', finished_at: asOf + 60, as_of_at: asOf }],
      members: all.map((member_id) => ({
        member_id,
        member_name: `${words} person ${member_id}`,
        status: 'enabled',
      })),
    }
    for (const [table, list] of Object.entries(rows))
      await fill(connection, table, objects, [JSON.stringify(list)])
    await fill(
      connection,
      'incidents',
      `(with drawn as (
        select
          k,
          ${asOf} - 1800 - (pow(chance(k, 1), 1.2) * ${days * 86_400})::bigint as start,
          chance(k, 2) as severity,
          (exp(6.5 + 1.3 * (chance(k, 3) + chance(k, 4) + chance(k, 5) - 1.5)))::bigint as ack_s,
          (exp(9 + 2.5 * (chance(k, 6) + chance(k, 7) + chance(k, 8) - 1.5)))::bigint as close_s,
          1 + (pow(chance(k, 9), 2) * ${teams})::int % ${teams} as team,
          chance(k, 10) < ${open} as is_open
        from range(${incidents}) as r (k)
      )
      select json_object(
        'incident_id', lpad(k::varchar, 24, '0'), 'num', 'INC-' || k, 'title', '${words}: disk ' || k % 100 || ' % full',
        'account_time_zone', 'Europe/Berlin', 'channel_id', team, 'owner_id', team, 'start_time', start,
        'incident_severity', case when severity < ${critical} then 'Critical' when severity < ${critical + warning} then 'Warning' else 'Info' end,
        'progress', case when start + close_s < ${asOf} and not is_open then 'Closed' when k % 2 = 0 then 'Processing' else 'Triggered' end,
        'ack_time', case when start + ack_s < ${asOf} and (ack_s < close_s or is_open) and k % 5 > 0 then start + ack_s else 0 end,
        'close_time', case when start + close_s < ${asOf} and not is_open then start + close_s else 0 end,
        'closer_id', case when start + close_s < ${asOf} and not is_open and k % 3 > 0 then team else 0 end,
        'end_time', case when k % 3 = 0 and start + close_s < ${asOf} and not is_open then start + close_s else 0 end,
        'creator_id', 0, 'alert_cnt', 1 + k % 3, 'alert_event_cnt', 1 + k % 40, 'ever_muted', k % 50 = 0,
        'created_at', start, 'updated_at', ${asOf} - 1800
      ) as json from drawn)`.replaceAll(
        /chance\((\w+), (\d+)\)/g,
        '(hash($1 * 16 + $2) / 18446744073709551616)',
      ),
    )
  }
}

/** Scenarios from `oddWorlds` whose pages have an unusual layout. */
const odd = [
  ...['a storm', 'silence for 50 days', 'times of 140 days'],
  ...['teams by the hundred', 'thirteen hours ahead', 'three years'],
]

export const worlds: Record<string, (connection: DuckDBConnection) => Promise<void>> = {
  nothing: settle({ incidents: 0 }),
  three: settle({ incidents: 3 }),
  forty: settle({ incidents: 40 }),
  'two thousand': settle({ incidents: 2_000 }),
  'a hundred thousand': settle({ incidents: 100_000, teams: 12 }),
  'sixty teams': settle({ incidents: 20_000, teams: 60, words: 'Payments platform reliability' }),
  'Critical only': settle({ incidents: 300, critical: 1, warning: 0 }),
  'all open': settle({ incidents: 400, open: 1 }),
  'wide and right-to-left names': settle({
    incidents: 800,
    words: '支払いプラットフォーム运维组 فريق المدفوعات',
  }),
  hostile: settleHostile,
  ...Object.fromEntries(odd.map((name) => [name, (connection) => inhabit(connection, oddWorlds[name]!)])),
  ...(uci498 === null ? {} : { uci498: settleUci498 }),
}

export const reportNames = listReports('reports').map(({ name }) => name)

/**
 * Writes the page of every included report to the folder, and the pages of the largest team, whose layout is denser, to
 * its folder `team`.
 * @returns the results of the reports, and whether there is a team
 */
export async function writePages(
  warehouse: string,
  folder: string,
  ofTeam: readonly string[],
): Promise<{ results: ReportResult[]; hasTeam: boolean }> {
  const reader = await openReader(warehouse, { settings: defaultSettings })
  const sessions = pooled(reader)
  const results: ReportResult[] = []
  for (const name of reportNames) {
    results.push(await runReport(`reports/${name}.md`, sessions))
    writeReport(results.at(-1)!, folder, ['html'])
  }
  const { rows } = await reader.query(
    'select team_name from incident_times group by all order by count(*) desc, team_name limit 1',
  )
  for (const name of rows.length > 0 ? ofTeam : []) {
    const result = await runReport(`reports/${name}.md`, sessions, { team: [String(rows[0]![0])] })
    writeReport(result, join(folder, 'team'), ['html'], { isCompact: true, teamPage: () => null })
  }
  reader.close()
  return { results, hasTeam: rows.length > 0 }
}
