import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { parseReport } from '../../src/report/parse/parse.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { insert } from '../support/tables.ts'
import { reportFile } from '../support/warehouse.ts'
import { readerOn } from './company-report.ts'

/** The order of rows must not depend on the database engine, so an `order by` must not leave two rows in a tie. */
const DAY = 86_400
const asOf = Date.UTC(2026, 10, 2, 12) / 1_000
const names = listReports('reports').map(({ name }) => name)

/** Creates each channel, team and person twice, and each incident four times. */
async function settleTwins(connection: Parameters<typeof insert>[0]): Promise<void> {
  const two = [1, 2]
  const incidents = Array.from({ length: 480 }, (_, index) => {
    const [twin, k] = [index % 4, Math.floor(index / 4)]
    const start_time = asOf - 600 - Math.floor((k * 190 * DAY) / 120)
    const isOpen = k % 9 === 0
    return {
      incident_id: String(index).padStart(24, '0'),
      num: `INC-${k}`,
      title: 'Disk full',
      incident_severity: ['Critical', 'Warning', 'Info'][k % 3],
      channel_id: 1 + (twin % 2),
      dedup_key: `disk-${k % 2}-${twin}`,
      account_time_zone: 'UTC',
      progress: isOpen ? 'Triggered' : 'Closed',
      start_time,
      ack_time: isOpen || k % 5 === 0 ? 0 : start_time + 300,
      close_time: isOpen ? 0 : start_time + 7_200,
      end_time: isOpen ? 0 : start_time + 3_600,
      closer_id: isOpen || k % 4 === 0 ? 0 : 1,
      alert_cnt: 1,
      alert_event_cnt: 3,
      created_at: start_time,
      updated_at: asOf,
    }
  })
  const responders = incidents.flatMap(({ incident_id, start_time }) =>
    two.map((person_id) => ({ incident_id, person_id, ordinal: person_id, assigned_at: start_time + 60 })),
  )
  await insert(connection, 'incidents', incidents)
  await insert(connection, 'incident_responders', responders)
  await insert(
    connection,
    'channels',
    two.map((id) => ({ channel_id: id, channel_name: `channel ${id}`, team_id: id })),
  )
  await insert(
    connection,
    'teams',
    two.map((team_id) => ({ team_id, team_name: `team ${team_id}` })),
  )
  await insert(
    connection,
    'members',
    two.map((member_id) => ({ member_id, member_name: `person ${member_id}` })),
  )
  await insert(connection, 'sync_runs', [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }])
}

const opened = readerOn(settleTwins)

/** Returns a query for the rows that tie in the `order by` of `sql`. */
function withTies(sql: string): string {
  const last = [...sql.matchAll(/^(?!\s).*\border by (.*?)(?: limit \d+)?\s*$/gims)].at(-1)
  const start = sql.toLowerCase().lastIndexOf('order by ')
  const isOrdered = last !== undefined && !sql.slice(start).includes(') as ')
  if (!isOrdered) return `select 'no order' as tie from (\n${sql}\n) limit 1 offset 1`
  const by = sql
    .slice(start + 9)
    .replace(/ limit \d+\s*$/i, '')
    .replaceAll(/ (desc|asc|nulls last|nulls first)\b/gi, '')
    .trim()
  const before = sql.slice(0, start)
  // A union or `group by all` can only be ordered by its output columns.
  let outer = before
  while (/\([^()]*\)/.test(outer)) outer = outer.replaceAll(/\([^()]*\)/g, '')
  return /\bunion all\b|\bgroup by all\s*$/i.test(outer)
    ? `select * from (\n${before}\n) qualify count(*) over (partition by ${by.replaceAll(/\b\w+\./g, '')}) > 1`
    : `${before} qualify count(*) over (partition by ${by}) > 1`
}

// Only the handover of one team has a table of people.
const scopes: [string, string][] = [
  ...names.map((name): [string, string] => [name, 'all teams']),
  ['on-call-handover', 'team 1'],
]
test.each(scopes)('every query in %s, %s, sorts its rows without ties', async (name, team) => {
  const file = `reports/${name}.md`
  const { queries } = parseReport(readFileSync(file, 'utf8'), file)
  expect(queries.length).toBeGreaterThan(3)
  const doubled = queries.map(
    ({ name: query, sql }) =>
      `\`\`\`sql ${query}\n${sql}\`\`\`\n\n\`\`\`sql ties_${query}\n${withTies(sql)}\n\`\`\``,
  )
  const result = await runReport(reportFile(doubled.join('\n\n')), opened.reader, {
    period: '13 weeks',
    timezone: 'UTC',
    ...(team !== 'all teams' && { team }),
  })
  const ties = result.queries.filter(({ name: query, rows }) => query.startsWith('ties_') && rows.length > 0)
  expect(ties.map((query) => query.name)).toEqual([])
  expect(result.queries.filter(({ rows }) => rows.length > 1).length).toBeGreaterThan(2)
})
