/**
 * Workers of a lake on two machines, which are network namespaces where this is root, with PostgreSQL, Redis and the store on a third and
 * the service on a fourth.
 *
 *   node dist/bench/lake-drill.js accounts --accounts=500 --least=200 --most=20000 --workers=8 --kills=20
 *   node dist/bench/lake-drill.js rate --accounts=60 --most=200 --workers=1,2,4,8
 *   node dist/bench/lake-drill.js kills --moments=50 --accounts=8 --most=400 --workers=3
 *
 * All take --minio=PROGRAM (else the rows lie in a folder), --jobs, --seed and --minutes, after which it gives up; DuckDB's extensions are
 * where FAULTLINE_EXTENSIONS says. Ends with 1 when anything was wrong.
 */
import { availableParallelism, loadavg } from 'node:os'
import type { Lake } from '../../dist/config/lake.js'
import { resources } from '../../dist/resources/index.js'
import { accountFiles } from '../../dist/warehouse/file/files.js'
import { publishedAt } from '../../dist/warehouse/file-or-lake.js'
import { verifyInLake } from '../../dist/warehouse/lake/lake-tables.js'
import { maintain } from '../../dist/warehouse/lake/maintain-lake.js'
import { openWarehouse } from '../../dist/warehouse/warehouse.js'
import { seeded } from '../support/random.ts'
import { ask, type Cluster, startCluster, strayFiles, tell, type Worker } from './drill/cluster.js'
import { option, round } from './options.js'

const what = process.argv[2] ?? 'accounts'
const accounts = Number(option('accounts', what === 'kills' ? '8' : what === 'rate' ? '60' : '500'))
const least = Number(option('least', '200'))
const most = Number(option('most', what === 'accounts' ? '20000' : '200'))
const workers = option('workers', what === 'kills' ? '3' : what === 'rate' ? '1,2,4,8' : '8')
const random = seeded(Number(option('seed', '1')))
const endsAt = performance.now() + Number(option('minutes', '60')) * 60_000
const problems: string[] = []

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const print = (result: object) => console.log(JSON.stringify(result))

/** Most accounts are small: nine of ten have less than eight times the least. */
function sizes(): number[] {
  return Array.from({ length: accounts }, (_, index) =>
    Math.round(least * (most / least) ** (((index + 0.5) / accounts) ** 8)),
  )
}

async function until(isSo: () => Promise<boolean> | boolean, words: string): Promise<boolean> {
  while (!(await isSo())) {
    if (performance.now() > endsAt) {
      problems.push(`gave up waiting until ${words}`)
      return false
    }
    await sleep(200)
  }
  return true
}

async function doneJobs(lake: Lake): Promise<number> {
  const there = await ask(lake, `select to_regclass('faultline_jobs')::text`)
  if (!there[0]?.[0]) return 0
  const [row] = await ask(lake, `select count(*) from faultline_jobs where outcome in ('ok', 'partial')`)
  return Number(row?.[0] ?? 0)
}

const lastWords = (one: Worker) =>
  `${one.name} said last: ${one.told().trim().split('\n').slice(-3).join(' ')}`

/** First syncs of all accounts, while workers are killed; then everything is counted and compared. */
async function readAccounts(cluster: Cluster): Promise<void> {
  const lake = cluster.lake('accounts')
  const all = cluster.workers('accounts', Number(workers), ['--once', '--jobs', option('jobs', '2')])
  const startedAt = performance.now()
  for (const one of all) one.start()
  let kills = 0
  let isRead = false
  const killing = (async () => {
    for (const wanted = Number(option('kills', '20')); kills < wanted && !isRead; ) {
      await sleep(2_000 + random() * 10_000)
      const victim = all[Math.floor(random() * all.length)]!
      if (isRead || !victim.isRunning()) continue
      await victim.end('SIGKILL')
      victim.start()
      kills++
    }
  })()
  let told = performance.now()
  await until(async () => {
    if (performance.now() - told > 30_000) {
      told = performance.now()
      print({ done: await doneJobs(lake), seconds: round((told - startedAt) / 1_000), kills })
    }
    return all.every((one) => !one.isRunning())
  }, 'the workers end')
  isRead = true
  const seconds = (performance.now() - startedAt) / 1_000
  await killing
  await Promise.all(all.map((one) => one.ended()))
  const done = await doneJobs(lake)
  if (done !== accounts) problems.push(`${done} of ${accounts} accounts were synced`, ...all.map(lastWords))
  const [taken] = await ask(lake, 'select count(*) filter (where epoch > 1) from faultline_leases')
  print({
    ...{ accounts, workers: all.length, apart: cluster.areApart, store: cluster.store ? 'MinIO' : 'folder' },
    ...{ seconds: round(seconds), kills, accounts_leased_again: Number(taken?.[0]) },
  })
  await compareAll(cluster, lake, Number(option('sample', '25')))
  await checkLimits(cluster)
}

/** No row lost or doubled, tables as they were published, and of a sample every field as the service has it. */
async function compareAll(cluster: Cluster, lake: Lake, sample: number): Promise<void> {
  const { service } = cluster
  const there = await publishedAt(lake).accounts()
  let incidents = 0
  const chosen = new Set(
    Array.from({ length: sample }, (_, k) => 1 + Math.floor(((k + 0.5) / sample) * accounts)),
  )
  for (const { id } of service.accounts) {
    if (!there.has(BigInt(id))) {
      problems.push(`account ${id} is not in the lake`)
      continue
    }
    for (const { table, rows, published } of await verifyInLake(lake, BigInt(id)))
      problems.push(
        `account ${id}: ${table} has ${rows} rows and not the ${published} that were published, or others`,
      )
    incidents += await service.ask('count', { account: id })
    if (!chosen.has(id)) continue
    // As a machine starts that never saw the account.
    await (await openWarehouse(lake, resources, { accountId: BigInt(id) })).close()
    const file = accountFiles(publishedAt(lake).files, BigInt(id)).working
    for (const words of await service.ask('compare', { account: id, file }))
      problems.push(`account ${id}: ${words}`)
  }
  const stored = await countIncidents(lake)
  if (stored.rows !== incidents || stored.different !== incidents)
    problems.push(
      `the services have ${incidents} incidents, the lake ${stored.rows}, ${stored.different} different ones`,
    )
  print({ verified: there.size, compared_by_field: chosen.size, incidents, stored: stored.rows })
}

async function countIncidents(lake: Lake): Promise<{ rows: number; different: number }> {
  return publishedAt(lake).inside({ rows: 0, different: 0 }, async (connection) => {
    const found = await connection.runAndReadAll(
      'select count(*), count(distinct (account_id, incident_id)) from incidents where vanished_at is null',
    )
    const [rows, different] = found.getRows()[0]!
    return { rows: Number(rows), different: Number(different) }
  })
}

async function checkLimits(cluster: Cluster): Promise<void> {
  const stats = await cluster.service.ask('stats', undefined)
  const highest = (of: (one: (typeof stats)[number]) => number) => Math.max(...stats.map(of))
  const seen = {
    requests: stats.reduce((sum, one) => sum + one.requests, 0),
    beyond_limits: stats.reduce((sum, one) => sum + one.beyond_limits, 0),
    most_in_1s: highest((one) => one.most_in_1s.offered),
    most_in_60s: highest((one) => one.most_in_60s.offered),
  }
  print(seen)
  if (seen.beyond_limits > 0 || seen.most_in_1s > 50 || seen.most_in_60s > 1_000)
    problems.push('an account was asked more often than its limits allow')
}

/** Accounts a second, of first syncs and of syncs that find nothing new. */
async function measureRate(cluster: Cluster): Promise<void> {
  for (const count of workers.split(',').map(Number)) {
    const name = `rate${count}`
    const lake = cluster.lake(name)
    const all = cluster.workers(name, count, ['--jobs', option('jobs', '4')])
    for (const one of all) one.start()
    const round_ = async () => {
      if (!(await until(async () => (await doneJobs(lake)) === accounts, 'all accounts are synced'))) return 0
      const [row] = await ask(
        lake,
        `select (extract(epoch from max(finished_at) - min(started_at)) * 1000)::bigint from faultline_jobs`,
      )
      return round(accounts / (Number(row?.[0]) / 1_000))
    }
    const first = await round_()
    await tell(lake, 'truncate faultline_jobs')
    const again = await round_()
    for (const one of all) await one.end('SIGTERM')
    print({ workers: count, first, nothing_changed: again, load: round(loadavg()[0]!) })
  }
}

/** Kills at random moments, half of them while the victim publishes; servers go away in between; then a worker is paused. */
async function killWorkers(cluster: Cluster): Promise<void> {
  const lake = cluster.lake('kills')
  const moments = Number(option('moments', '50'))
  const all = cluster.workers('kills', Number(workers), ['--jobs', option('jobs', '2')])
  for (const one of all) one.start()
  const looked = await cluster.reader('kills')
  const kills = { publishing: 0, any: 0 }
  const away = { postgres: 0, store: 0 }
  let nights = 1
  const night = async () => {
    await cluster.service.ask('advance', { seconds: 6 * 3_600 })
    await tell(lake, 'truncate faultline_jobs').catch(() => undefined)
    nights++
  }
  while (kills.any + kills.publishing < moments && performance.now() < endsAt) {
    if ((await doneJobs(lake)) >= accounts) await night()
    await tryAgain(lake)
    const isPublishing = random() < 0.5
    const victim = isPublishing ? await publisher(lake, all) : all[Math.floor(random() * all.length)]!
    await sleep(random() * (isPublishing ? 500 : 3_000))
    if (!victim?.isRunning()) continue
    await victim.end('SIGKILL')
    const count = isPublishing ? ++kills.publishing + kills.any : kills.publishing + ++kills.any
    if (count % 12 === 6) {
      await cluster.postgres.restart(count % 24 === 6 ? 'SIGINT' : 'SIGKILL', random() * 5_000)
      away.postgres++
    }
    if (count % 12 === 0 && cluster.store) {
      await cluster.store.restart('SIGKILL', random() * 5_000)
      away.store++
    }
    victim.start()
    if (count % 10 === 0) print({ kills, away, nights, done: await doneJobs(lake) })
  }
  print({ kills, away, nights })
  await night()
  const isComplete = async () => (await doneJobs(lake)) >= accounts
  await tryAgain(lake)
  await until(isComplete, 'the run after the kills completes')
  await pauseOne(lake, all, night)
  await until(isComplete, 'the run after the pause completes')
  for (const one of all) await one.end('SIGTERM')
  const seen = await looked()
  print({ reader: seen })
  if (seen.looks === 0) problems.push('the reader saw nothing')
  problems.push(...seen.wrong.map((words) => `the reader saw: ${words}`))
  const bugs = all.flatMap((one) => one.told().match(/.*This is a bug.*/g) ?? [])
  problems.push(...bugs)
  await compareAll(cluster, lake, accounts)
  // As it would be nine days later: every former state is forgotten, and what was written for nothing is old enough.
  const before = await strayFiles(lake)
  const maintained = []
  for (const days of [9, 11]) maintained.push(await maintain(lake, lake.retentionDays, days))
  const after = await strayFiles(lake)
  print({
    files_before: before.files,
    not_needed_before: before.orphans.length,
    maintained,
    files: after.files,
  })
  problems.push(...after.orphans.map((file) => `an orphan: ${file}`))
  problems.push(...[...before.missing, ...after.missing].map((file) => `a file is missing: ${file}`))
  await compareAll(cluster, lake, 0)
  await checkLimits(cluster)
}

/** What failed while a server was away is tried again ten minutes later: now. */
async function tryAgain(lake: Lake): Promise<void> {
  const soon = `update faultline_jobs set finished_at = finished_at - interval '1 hour' where outcome = 'failed'`
  await tell(lake, soon).catch(() => undefined)
}

/** The worker that publishes next. */
async function publisher(lake: Lake, all: readonly Worker[]): Promise<Worker | undefined> {
  const giveUpAt = performance.now() + 6_000
  while (performance.now() < giveUpAt) {
    const [row] = await ask(
      lake,
      `select application_name::text from pg_stat_activity
        where state = 'idle in transaction' and query like '%name = ''publishing'' for update%'`,
    )
    const found = all.find(({ name }) => name === row?.[0])
    if (found) return found
    await sleep(20)
  }
  return undefined
}

/** A worker is paused with accounts in its hands, for longer than PostgreSQL waits for a word; then it wakes. */
async function pauseOne(lake: Lake, all: readonly Worker[], night: () => Promise<void>): Promise<void> {
  await night()
  let victim: Worker | undefined
  await until(async () => {
    const [row] = await ask(
      lake,
      `select application_name::text from pg_stat_activity
        where state = 'idle in transaction' and query like '%name = ''account %'' for update%'`,
    )
    victim = all.find(({ name }) => name === row?.[0])
    return victim !== undefined
  }, 'a worker holds an account')
  if (!victim) return
  const before = victim.told().length
  process.kill(victim.pid, 'SIGSTOP')
  const isTaken = await until(async () => (await doneJobs(lake)) >= accounts, 'others took its accounts')
  process.kill(victim.pid, 'SIGCONT')
  const paused = victim
  const refusals = () =>
    (
      paused
        .told()
        .slice(before)
        .match(/was lost|leased to another/g) ?? []
    ).length
  const giveUpAt = performance.now() + 60_000
  while (refusals() === 0 && performance.now() < giveUpAt) await sleep(200)
  const refused = refusals()
  print({ paused: victim.name, taken: isTaken, refused })
  if (refused === 0) problems.push(`${victim.name} woke, and was not refused: ${lastWords(victim)}`)
}

const runs: Readonly<Record<string, (cluster: Cluster) => Promise<void>>> = {
  accounts: readAccounts,
  rate: measureRate,
  kills: killWorkers,
}
const cluster = await startCluster(sizes())
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cluster.remove().then(() => process.exit(1)))
try {
  await runs[what]!(cluster)
} catch (error) {
  problems.push((error as Error).stack ?? String(error))
} finally {
  await cluster.remove()
}
print({
  problems: problems.slice(0, 20),
  count: problems.length,
  load: loadavg().map(round),
  cores: availableParallelism(),
})
process.exit(problems.length > 0 ? 1 : 0)
