import type { DuckDBConnection } from '@duckdb/node-api'
import { fill } from '../support/tables.ts'
import { asOf, settleCompany } from '../support/world.ts'

/** Hostile titles of alerts, and how a page shows them. */
export const hostileTitles = [
  {
    title: `<script>document.title='ran'</script><img src=x onerror=alert(1)>`,
    shown: `<script>document.title='ran'</script><img src=x onerror=alert(1)>`,
  },
  {
    title: '**bold** [link](javascript:alert(1)) `code` {{ summary.n }}',
    shown: '**bold** [link](javascript:alert(1)) `code` {{ summary.n }}',
  },
  { title: '=HYPERLINK("http://x.invalid","click")', shown: '=HYPERLINK("http://x.invalid","click")' },
  { title: 'report-\u202egnp.exe', shown: 'report-\ufffdgnp.exe' },
  {
    title: 'disk \u001b[31mred\u001b[0m \u001b]8;;http://x.invalid\u0007link',
    shown: 'disk \ufffd[31mred\ufffd[0m \ufffd]8;;http://x.invalid\ufffdlink',
  },
  { title: 'long '.repeat(2_000), shown: 'long long long' },
  { title: 'x'.repeat(10_000), shown: 'xxxxxxxxxx' },
]

/** Stores the company that the report tests use, and adds open Critical incidents with hostile titles. */
export async function settleHostile(connection: DuckDBConnection): Promise<void> {
  await settleCompany(connection)
  const incidents = hostileTitles.map(({ title }, index) => ({
    incident_id: `f${String(index).padStart(23, '0')}`,
    num: `INC-${index}`,
    title,
    detail_url: 'https://service.invalid/incident/detail/1',
    account_time_zone: 'Europe/Berlin',
    channel_id: 1,
    incident_severity: 'Critical',
    progress: 'Triggered',
    start_time: asOf - 3600 * (index + 1),
    creator_id: 0,
    closer_id: 0,
    alert_cnt: 1,
    alert_event_cnt: 3,
    ever_muted: false,
    created_at: asOf - 3600,
    updated_at: asOf - 1800,
  }))
  // `fill` adds to the incidents of the company, `insert` would replace them.
  const objects = `(select unnest(from_json($1::json, '["json"]')) as json)`
  await fill(connection, 'incidents', objects, [JSON.stringify(incidents)])
}
