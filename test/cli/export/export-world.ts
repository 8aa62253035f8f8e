import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect } from 'vitest'
import type { ExportedTable } from '../../../src/cli/export/export-table.ts'
import { type ExportOptions, exportWarehouse } from '../../../src/cli/export/export-warehouse.ts'
import { tablesOf } from '../../../src/definitions/tables.ts'
import { realEffects } from '../../../src/effects.ts'
import { resources } from '../../../src/resources/index.ts'
import { runSync } from '../../../src/sync/run-sync.ts'
import { ledger } from '../../../src/warehouse/schema/ledger-tables.ts'
import { listening } from '../../support/console.ts'
import { ownFolder } from '../../support/folder.ts'
import { DAY, epoch, fakeService, incident } from '../../support/service.ts'
import { openWarehouse } from '../../support/storage.ts'
import { preparedWarehouse } from '../../support/warehouse.ts'

/** An integer above 2^53, which readers with floating-point numbers round. */
export const big = 2n ** 60n + 1n

export const RUN = {
  report: 'r',
  period_from: '2023-11-01',
  period_to: '2023-12-01',
  timezone: 'UTC',
  account: 'all',
  team: 'all',
  severity: 'all',
  as_of_at: '2024-06-01T00:00:00Z',
  definition: 'd',
  figures: [{ figure: 'summary.ttr', label: 'Time to resolve', value: 60, n: 3 }],
}

const HOSTILE = [
  '=HYPERLINK("http://x","y")',
  '+1',
  '-1',
  '@sum',
  '\tx',
  '\rx',
  'a,b',
  'a"b',
  'a\r\nb',
  'a\nb',
  ' x ',
  "it's",
  '日本 🔥',
  '\\N',
  'NULL',
  '',
]

/** The tables and views of a complete export. */
export const all = [...resources.flatMap(tablesOf), ...ledger, { name: 'incident_times' }]
  .map(({ name }) => name)
  .sort()

/** Creates a warehouse with four months of incidents, some of which changed between two syncs. */
export function exportWorld() {
  const folder = ownFolder()
  const warehouse = join(folder, "ware'house.duckdb")
  let opened: Promise<DuckDBConnection> | undefined
  beforeAll(() => fill(warehouse), 60_000)
  afterAll(async () => {
    ;(await opened)?.closeSync()
  })

  async function exported(names: string[] = [], options: ExportOptions = {}, signal?: AbortSignal) {
    const context = listening({ warehouse })
    const out = options.to ?? join(folder, 'out')
    const status = await exportWarehouse(signal ? { ...context, signal } : context, names, {
      ...{ json: true, ...options, to: out },
    })
    expect(status).toBe(0)
    return (JSON.parse(context.results.join('')) as { exports: ExportedTable[] }).exports
  }

  /** Runs a query that reads the warehouse as `w`. All tests share one connection. */
  async function query(sql: string): Promise<unknown[][]> {
    opened ??= besides(warehouse)
    return (await (await opened).runAndReadAll(sql)).getRowsJson()
  }

  /** Rows that occur in only one of two relations. */
  const differences = (one: string, other: string) =>
    query(`(${one} except all ${other}) union all (${other} except all ${one}) limit 5`)

  /** The columns in the order of an export, which is the order of their declaration. */
  const columnsOf = async (table: string) => {
    const found = (await query(
      `select column_name, data_type from duckdb_columns() where database_name = 'w' and table_name = '${table}' order by column_index`,
    )) as [string, string][]
    const declared = [...resources.flatMap(tablesOf), ...ledger].find(({ name }) => name === table)
    const order = declared?.columns.map(({ name }) => name) ?? found.map(([name]) => name)
    return found.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  }
  return { folder, warehouse, exported, query, differences, columnsOf }
}

async function besides(warehouse: string): Promise<DuckDBConnection> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run(`set TimeZone = 'UTC'`)
  await connection.run(`attach '${warehouse.replaceAll("'", "''")}' as w (read_only)`)
  return connection
}

async function fill(warehouse: string): Promise<void> {
  const service = fakeService()
  service.incidents = Array.from({ length: 60 }, (_, index) =>
    incident(index * 48, {
      channel_id: index % 2 ? big : 0,
      integration_ids: [big, 1],
      title: HOSTILE[index % HOSTILE.length],
      labels: { '=k"': HOSTILE[index % HOSTILE.length], n: big },
      integration_types: HOSTILE.slice(0, 4),
      responders: [0, 1].map((place) => ({
        person_id: big + BigInt(index),
        assigned_at: epoch,
        acknowledged_at: place * epoch,
        email: `+p${place}@x.example`,
      })),
      unheard_of: { of: [1, big] },
    }),
  )
  service.members = [
    { account_id: 1, member_id: big, member_name: '=m', status: 'enabled', created_at: 1, updated_at: 2 },
  ]
  preparedWarehouse(warehouse, 1)
  const own = await openWarehouse(warehouse, resources, { accountId: 1n })
  const run = (now: number) =>
    runSync({
      client: service.client,
      warehouse: own,
      resources,
      accountId: 1n,
      effects: realEffects(),
      concurrency: 2,
      version: '1.2.3',
      signal: new AbortController().signal,
      scope: { now, since: epoch - DAY, lookbackDays: 366, windowSeconds: 31 * DAY, full: false },
    })
  await run(epoch + 200 * DAY)
  for (const one of service.incidents.slice(0, 9)) {
    one.title = 'changed'
    one.updated_at = Number(one.updated_at) + 1
  }
  await run(epoch + 201 * DAY)
  await own.publish()
}
