/**
 * Loads the incidents of the service into DuckDB with a first sync, for the comparison with other programs.
 * Usage: `node dist/bench/peers/ours.js BASE_URL FIRST FOLDER`, with FIRST in Unix seconds and the key in APP_KEY.
 */
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { firstSync } from '../first-sync.js'

const [baseUrl, first, folder] = process.argv.slice(2) as [string, string, string]
const path = join(folder, 'ours.duckdb')
const { status } = await firstSync({ baseUrl, appKey: process.env.APP_KEY!, path, since: Number(first) })
if (status !== 'ok') throw new Error(`the sync ended ${status}`)

const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' })
const connection = await instance.connect()
// The service sends 0 for a time that is not set, but the warehouse stores NULL.
const time = (column: string) => `coalesce(epoch(${column})::bigint, 0)`
const found = await connection.runAndReadAll(`
  select count(*)::int as rows, md5(string_agg(
    concat_ws('|', incident_id, progress, ${['ack_time', 'close_time', 'updated_at'].map(time)}), chr(10)
    order by incident_id
  )) as checksum from incidents
`)
const peakMb = Math.round(process.resourceUsage().maxRSS / 1_024)
console.log(JSON.stringify({ ...found.getRowObjectsJson()[0], peak_mb: peakMb }))
connection.closeSync()
instance.closeSync()
