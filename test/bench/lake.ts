/**
 * Measures the cost of a lake: publishes accounts of a simulated company, and makes the reports of one account. Needs a
 * PostgreSQL server and DuckDB's extensions, and does not remove the data of the lake afterwards.
 *
 *   FAULTLINE_LAKE_PASSWORD=… node dist/bench/lake.js publish --warehouse='ducklake:postgres:host=… dbname=…' --data=/shared/rows
 *     --extensions=.extensions --incidents=1000000 --accounts=50
 *   … node dist/bench/lake.js simulate …  the same accounts without a publish of each, for sizes that would take hours
 *   … node dist/bench/lake.js replace …   one account, with all, 1% or none of its incidents changed
 *   … node dist/bench/lake.js reports … --account=1
 *   … node dist/bench/lake.js reports … --account= --report=severity-trend,mtta-mttr --memory=6GB
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { sql } from 'kysely'
import { onPublished } from '../../dist/lake/catalog.js'
import { maintain } from '../../dist/lake/maintain-lake.js'
import { runReport } from '../../dist/page/run-report.js'
import { writeReport } from '../../dist/page/write-report-files.js'
import { listReports } from '../../dist/report/report-catalog.js'
import { resources } from '../../dist/resources/index.js'
import { resolveStorage } from '../../dist/sdk/resolve-storage.js'
import { Lake, lakeSchema } from '../../dist/settings/lake.js'
import { defaultSettings } from '../../dist/settings/settings.js'
import { tablesOfAccounts } from '../../dist/warehouse/content-hash.js'
import { accountFiles, makeFolder } from '../../dist/warehouse/file/files.js'
import { openReader } from '../../dist/warehouse/read/reader.js'
import { openWarehouse } from '../../dist/warehouse/warehouse.js'
import { bigCompany } from './big-company.js'
import { option, round } from './options.js'

const accounts = Number(option('accounts', '50'))
const incidents = Number(option('incidents', '1000000'))
const work = option('work', '') || mkdtempSync(join(tmpdir(), 'faultline-lake-'))
const lakeOf = (folder: string) =>
  new Lake(
    option('warehouse', ''),
    lakeSchema.parse({
      work: folder,
      data: option('data', ''),
      extensions: option('extensions', '.extensions'),
    }),
    process.cwd(),
    (name) => process.env[name],
  )
const lake = lakeOf(work)

async function timed<Result>(act: () => Promise<Result>): Promise<[number, Result]> {
  const began = performance.now()
  const result = await act()
  return [round((performance.now() - began) / 1_000), result]
}

/** Stores the working file of an account as a sync of that account would leave it. */
async function settle(made: string, account: number): Promise<void> {
  const { files } = await resolveStorage(lake)
  makeFolder(files)
  const { working } = accountFiles(files, BigInt(account))
  copyFileSync(made, working)
  const instance = await DuckDBInstance.create(working)
  const connection = await instance.connect()
  for (const table of await tablesOfAccounts(connection))
    await connection.run(`update "${table}" set account_id = ${account}`)
  connection.closeSync()
  instance.closeSync()
}

async function publish(): Promise<void> {
  const made = join(mkdtempSync(join(tmpdir(), 'faultline-made-')), 'made.duckdb')
  const each = Math.ceil(incidents / accounts)
  await bigCompany(made, each)
  const seconds: number[] = []
  const [all] = await timed(async () => {
    for (let account = 1; account <= accounts; account++) {
      await settle(made, account)
      seconds.push(await publishAgain(account))
    }
  })
  seconds.sort((a, b) => a - b)
  const unchanged = await publishAgain(1)
  const replaced = await publishAgain(1, "update incidents set title = title || ' again'")
  const other = lakeOf(`${work}-other`)
  mkdirSync(`${work}-other`, { recursive: true })
  const [restored] = await timed(async () =>
    (await openWarehouse(await resolveStorage(other), resources, { accountId: 1n })).close(),
  )
  const [maintained, done] = await timed(() => maintain(lake, 7))
  console.log(
    JSON.stringify({
      ...{ accounts, each, all, median: seconds[accounts >> 1], most: seconds.at(-1), unchanged, replaced },
      ...{ restored, maintained, done, rssMb: Math.round(process.resourceUsage().maxRSS / 1_024) },
    }),
  )
  rmSync(`${work}-other`, { recursive: true })
}

/** Publishes the first account, and copies its rows for the other accounts, several accounts per transaction. */
async function simulate(): Promise<void> {
  const made = join(mkdtempSync(join(tmpdir(), 'faultline-made-')), 'made.duckdb')
  await bigCompany(made, Math.ceil(incidents / accounts))
  await settle(made, 1)
  const warehouse = await openWarehouse(await resolveStorage(lake), resources, { accountId: 1n })
  await warehouse.publish()
  const [all] = await timed(() =>
    onPublished(lake, undefined, async (connection) => {
      await connection.run(`attach '${made}' as made (read_only); set preserve_insertion_order = false`)
      const tables = await tablesOfAccounts(connection, 'made')
      for (let account = 2; account <= accounts; account++) {
        await connection.run('begin')
        for (const table of tables)
          await connection.run(
            `insert into lake.main."${table}" by name select * replace (${account} as account_id) from made.main."${table}"`,
          )
        await connection.run('commit')
        if (account % 50 === 0)
          console.log(`${account} accounts, load average ${loadavg().map(round).join(', ')}`)
      }
    }),
  )
  console.log(JSON.stringify({ accounts, incidents, all }))
}

/** Changes the working file of an account, and publishes the account again. */
async function publishAgain(account: number, change = ''): Promise<number> {
  const warehouse = await openWarehouse(await resolveStorage(lake), resources, { accountId: BigInt(account) })
  if (change) await sql.raw(change).execute(warehouse.db)
  return (await timed(() => warehouse.publish()))[0]
}

/** Measures how long it takes to replace one account after all, 1% or none of its incidents changed. */
async function replace(): Promise<void> {
  const made = join(mkdtempSync(join(tmpdir(), 'faultline-made-')), 'made.duckdb')
  const account = Number(option('account', '1'))
  const each = Math.ceil(incidents / accounts)
  await bigCompany(made, each)
  await settle(made, account)
  const again = "update incidents set title = title || ' again'"
  const seconds = {
    first: await publishAgain(account),
    unchanged: await publishAgain(account),
    hundredth: await publishAgain(account, `${again} where hash(incident_id) % 100 = 0`),
    all: await publishAgain(account, again),
  }
  console.log(JSON.stringify({ each, seconds, rssMb: Math.round(process.resourceUsage().maxRSS / 1_024) }))
}

async function reports(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-reports-'))
  const account = option('account', '1') || undefined
  const chosen = option('report', '').split(',').filter(Boolean)
  const memoryLimit = option('memory', '1GB')
  const [opened, reader] = await timed(async () =>
    openReader(await resolveStorage(lake), { settings: defaultSettings, memoryLimit }),
  )
  const seconds: Record<string, number> = {}
  const [all] = await timed(async () => {
    for (const { name, problem } of listReports('reports')) {
      if (problem || (chosen.length > 0 && !chosen.includes(name))) continue
      const [took] = await timed(async () =>
        writeReport(await runReport(`reports/${name}.md`, reader, { account }), folder, ['html', 'csv']),
      )
      console.log(JSON.stringify({ name, took, rssMb: Math.round(process.resourceUsage().maxRSS / 1_024) }))
      seconds[name] = took
    }
  })
  reader.close()
  console.log(
    JSON.stringify({ opened, all, seconds, rssMb: Math.round(process.resourceUsage().maxRSS / 1_024) }),
  )
}

const runs: Readonly<Record<string, () => Promise<void>>> = { publish, simulate, replace, reports }
await runs[process.argv[2] ?? 'publish']!()
console.log(`load average ${loadavg().map(round).join(', ')} on ${availableParallelism()} cores`)
process.exit(0)
