/** A reader that asks all the time: each look opens the newest state and holds it against what was published with it. */
import { createInterface } from 'node:readline'
import { loadConfig } from '../../../dist/config/config.js'
import type { Lake } from '../../../dist/config/lake.js'
import { defaultSettings } from '../../../dist/config/settings.js'
import { openIfThere } from '../../../dist/warehouse/read/reader.js'

const lake = loadConfig({ config: process.argv[2] }).warehouse as Lake
const seen = { looks: 0, states: new Set<string>(), away: 0, wrong: [] as string[] }
let isOver = false
createInterface(process.stdin).on('close', () => {
  isOver = true
})
console.log('ready')

/** What was published of each table of an account last. */
const NEWEST =
  'from lake_tables qualify rank() over (partition by account_id, table_name order by publication desc) = 1'

/** Rows of every table of an account are as many as were published of it, and its newest run read everything. */
async function look(): Promise<void> {
  const reader = await openIfThere(lake, { settings: defaultSettings })
  if (reader === undefined) return
  try {
    const { rows: tables } = await reader.query(
      `select distinct table_name from lake_tables where table_name <> 'faultline_meta'`,
    )
    if (tables.length === 0) return
    const counts = tables.map(
      ([table]) => `select '${table}' as table_name, account_id, count(*) as n from "${table}" group by all`,
    )
    const { rows } = await reader.query(`
      with counted as (${counts.join(' union all ')})
      select table_name, account_id, row_count, n from (${NEWEST}) full join counted using (account_id, table_name)
      where table_name <> 'faultline_meta' and coalesce(row_count, 0) <> coalesce(n, 0)`)
    const halves = await reader.query(
      'select account_id from sync_runs group by 1 having max_by(as_of_at, run_id) is null',
    )
    if (rows.length + halves.rows.length > 0) seen.wrong.push(json([rows, halves.rows]))
    const sight = await reader.query(`select md5(string_agg(digest order by digest)) from (${NEWEST})`)
    seen.states.add(String(sight.rows[0]?.[0]))
    seen.looks++
  } finally {
    reader.close()
  }
}

const json = (value: unknown) =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one)).slice(0, 500)
/** PostgreSQL or the store is away. */
const AWAY = /connect|connection|HTTP|curl|timed? ?out|server closed|terminat/i

while (!isOver)
  await look().catch((error: Error) => {
    if (AWAY.test(error.message)) seen.away++
    else seen.wrong.push(error.message)
  })
console.log(JSON.stringify({ ...seen, states: seen.states.size }))
process.exit()
