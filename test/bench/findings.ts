/**
 * How often a lead names first the change that was planted in a company, and how often it is silent without one.
 * Usage: `node dist/bench/findings.js [SEEDS] [--only=a tripled source] [--reports=reliability-review,severity-trend]`
 * Prints a line for each world and report, and then the findings that came first instead.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { inlineText } from '../../dist/render/text.js'
import { runReport } from '../../dist/report/run.js'
import { resources } from '../../dist/resources/index.js'
import { resolveStorage } from '../../dist/sdk/resolve-storage.js'
import { defaultSettings } from '../../dist/settings/settings.js'
import { openReader } from '../../dist/warehouse/read/reader.js'
import { createTables } from '../../dist/warehouse/schema/create.js'
import { type FindingWorld, findingWorld, plants } from '../report/finding-worlds.ts'
import { option } from './options.js'

const seeds = Number(process.argv[2] ?? 40)
const only = option('only', '')
const reports = option('reports', 'reliability-review').split(',')
const folder = mkdtempSync(join(tmpdir(), 'faultline-findings-'))
const table = {
  incidents: 'incidents',
  responders: 'incident_responders',
  channels: 'channels',
  teams: 'teams',
  members: 'members',
  runs: 'sync_runs',
  windows: 'sync_windows',
} as const

try {
  for (const plant of plants.filter((one) => only === '' || one === only)) {
    const right = new Map(reports.map((name) => [name, 0]))
    const instead = new Map<string, number>()
    for (let seed = 1; seed <= seeds; seed++) {
      const world = findingWorld(plant, seed)
      const path = join(folder, 'world.duckdb')
      rmSync(path, { force: true })
      await settle(path, world.content)
      const reader = await openReader(await resolveStorage(path), { settings: defaultSettings })
      for (const name of reports) {
        const { blocks } = await runReport(`reports/${name}.md`, reader, { timezone: 'UTC' })
        const lead = blocks.find((block) => block.kind === 'findings')!
        const first = lead.lines[0] ? inlineText(lead.lines[0].text) : null
        if (world.named === null ? first === null : world.named.test(first ?? ''))
          right.set(name, right.get(name)! + 1)
        else {
          const came = `${name}, seed ${seed}: ${first ?? 'nothing'}`
          instead.set(came, (instead.get(came) ?? 0) + 1)
        }
      }
      reader.close()
    }
    for (const [name, count] of right)
      console.log(`${plant.padEnd(24)}${name.padEnd(22)}${((100 * count) / seeds).toFixed(1).padStart(6)} %`)
    for (const came of instead.keys()) console.log(`    ${came}`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** A warehouse file with the rows of a world. */
async function settle(path: string, content: FindingWorld['content']): Promise<void> {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  await connection.run("set TimeZone = 'UTC'")
  await createTables(connection, resources, defaultSettings)
  for (const [list, rows] of Object.entries(content))
    await insert(connection, table[list as keyof typeof table], rows)
  connection.closeSync()
  instance.closeSync()
}

async function insert(connection: DuckDBConnection, name: string, rows: readonly object[]): Promise<void> {
  const keys = Object.keys(rows[0] ?? {})
  const described = await connection.runAndReadAll(`select column_name, column_type from (describe ${name})`)
  const columns = described.getRowsJson().filter(([column]) => keys.includes(String(column)))
  const cells = columns.map(([column, type]) =>
    type === 'TIMESTAMP WITH TIME ZONE'
      ? `to_timestamp(nullif((json ->> '${column}')::bigint, 0)) as ${column}`
      : `(json ->> '${column}')::${type} as ${column}`,
  )
  await connection.run(
    `insert into ${name} by name select 1 as account_id, ${cells.join(', ')}
    from (select unnest(from_json($1::json, '["json"]')) as json)`,
    [JSON.stringify(rows)],
  )
}
