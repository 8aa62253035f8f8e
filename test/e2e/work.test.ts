import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { accountJobs } from '../../src/cli/start/account-jobs.ts'
import { runJobs } from '../../src/cli/start/run-jobs.ts'
import { loadConfig } from '../../src/config/config.ts'
import { defaultSettings } from '../../src/config/settings.ts'
import { realEffects, silent } from '../../src/effects.ts'
import { listReports } from '../../src/report/list.ts'
import { resources } from '../../src/resources/index.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { publishedAt } from '../../src/warehouse/file-or-lake.ts'
import { PROCESS } from '../../src/warehouse/lake/account-lease.ts'
import { verifyInLake } from '../../src/warehouse/lake/lake-tables.ts'
import { openIfThere } from '../../src/warehouse/read/reader.ts'
import { openWarehouse } from '../../src/warehouse/warehouse.ts'
import { type Running, run, start } from '../support/cli.ts'
import { listening } from '../support/console.ts'
import { hasLake, PASSWORD, type Postgres, startPostgres } from '../support/lake.ts'
import { seeded } from '../support/random.ts'
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts'
import { sideDoor } from '../support/side-door.ts'
import { differences } from '../support/truth.ts'

const isLarge = inject('isLarge')
vi.setConfig({ testTimeout: isLarge ? 1_200_000 : 240_000, hookTimeout: 120_000 })

const NOW = 1_767_225_600
const ACCOUNTS = [11, 12, 13, 14]
const INCIDENTS = 80

/** Machines are processes with folders of their own; PostgreSQL, the folder of rows and Redis are what they share. */
describe.runIf(hasLake && hasRedis)('several workers of a lake', () => {
  let postgres: Postgres
  let redis: RedisServer
  let folder: string
  const sandboxes = new Map<number, Sandbox>()
  beforeAll(async () => {
    postgres = await startPostgres()
    redis = await startRedis()
    folder = mkdtempSync(join(tmpdir(), 'faultline-work-'))
    for (const accountId of ACCOUNTS)
      sandboxes.set(
        accountId,
        await startSandbox({
          now: NOW,
          incidents: INCIDENTS,
          accountId,
          limits: false,
          appKey: `key-of-${accountId}`,
        }),
      )
  })
  afterAll(async () => {
    for (const sandbox of sandboxes.values()) await sandbox.close()
    await redis?.stop()
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** A folder of a machine's own with the configuration of all. */
  function machine(
    lake: string,
    name: string,
    own = sandboxes,
    limits: object = { redis: redis.url },
  ): string {
    const { warehouse, lake: fields } = postgres.config(lake)
    const place = join(folder, lake, name)
    mkdirSync(place, { recursive: true })
    const accounts = [...own].map(([id, { baseUrl, appKey }]) => {
      writeFileSync(join(place, `${id}.key`), appKey)
      return { name: `company ${id}`, baseUrl, appKeyFile: `./${id}.key` }
    })
    const config = {
      ...{ warehouse, lake: fields, accounts },
      ...{ resources: ['incidents', 'channels', 'teams', 'members'], limits },
    }
    writeFileSync(join(place, 'config.json'), JSON.stringify(config))
    return place
  }
  const environment = { FAULTLINE_LAKE_PASSWORD: PASSWORD }
  const worker = (own: string, ...args: string[]) => start(['work', '--once', ...args], environment, own)
  const runsOf = async (lake: string) => {
    const reader = (await openIfThere(postgres.lake(lake), { settings: defaultSettings }))!
    const { rows } = await reader.query(
      'select account_id, count(*) from runs where run_id is not null group by 1 order by 1',
    )
    reader.close()
    return rows
  }
  const slowly = async (ms: number) => {
    for (const { baseUrl } of sandboxes.values()) await sideDoor(baseUrl, 'faults', { slow_ms: ms })
  }
  /** Whole accounts only, and each as its service has it. */
  async function isWhole(lake: string, expected = ACCOUNTS.length): Promise<void> {
    const fresh = postgres.lake(lake)
    const accounts = [...(await publishedAt(fresh).accounts()).keys()]
    expect(accounts.length).toBeGreaterThanOrEqual(expected)
    for (const account of accounts) {
      expect(await verifyInLake(fresh, account)).toEqual([])
      const reader = (await openIfThere(fresh, { settings: defaultSettings }))!
      const { rows } = await reader.query(`select count(*) from incidents where account_id = ${account}`)
      reader.close()
      expect(rows).toEqual([[BigInt(INCIDENTS)]])
    }
  }

  test('sync each account once, and the lake equals the services', async () => {
    const workers = [1, 2].map((number) => worker(machine('once', `m${number}`)))
    const ended = await Promise.all(workers.map((one) => one.ended))
    expect(ended.map(({ code, err }) => [code, err])).toEqual(ended.map(({ err }) => [0, err]))
    expect(await runsOf('once')).toEqual(ACCOUNTS.map((account) => [BigInt(account), 1n]))
    await isWhole('once')
    for (const [id, { baseUrl }] of sandboxes) {
      // As another machine would start.
      const fresh = await openWarehouse(postgres.lake('once'), resources, { accountId: BigInt(id) })
      await fresh.close()
      expect(await differences(baseUrl, fresh.files.working)).toEqual([])
    }
    const again = await worker(machine('once', 'm3')).ended
    expect(again.code).toBe(0)
    expect(again.err).not.toContain('job ended')
  })

  test('and several `start` share the schedule: each sync and each report is done by one of all', async () => {
    const machines = ['s1', 's2', 's3'].map((name) => machine('started', name))
    const [first] = machines
    const chosen = ['mtta-mttr', 'team-overview']
    for (const own of machines) {
      const config = JSON.parse(readFileSync(join(own, 'config.json'), 'utf8')) as object
      const reports = Object.fromEntries(
        listReports('reports').map(({ name }) => [name, chosen.includes(name) && '0 6 * * *']),
      )
      const schedule = { sync: '0 2 * * *', reports }
      writeFileSync(
        join(own, 'config.json'),
        JSON.stringify({ ...config, schedule, out: join(first!, 'out') }),
      )
    }
    const running = [
      ...machines.slice(0, 2).map((own) => start(['start'], environment, own)),
      start(['work'], environment, machines[2]),
    ]
    const done = () =>
      postgres.ask('postgres', `select count(*) from pg_database where datname = 'started'`) === '1' &&
      postgres.ask('started', `select to_regclass('faultline_jobs')`) !== '' &&
      Number(postgres.ask('started', 'select count(*) from faultline_jobs where finished_at is not null'))
    while (done() !== ACCOUNTS.length + chosen.length)
      await new Promise((resolve) => setTimeout(resolve, 200))
    const health = await run(['start', '--health', '--json'], environment, first)
    for (const { process } of running) process.kill('SIGTERM')
    const told = (await Promise.all(running.map(({ ended }) => ended))).map(({ err }) => err).join('')
    const ended = [...told.matchAll(/"message":"(\w+) ended".*?"job":"([^"]+)"/g)].map(([, , job]) => job)
    expect(ended.sort()).toEqual(
      [...ACCOUNTS.map((id) => `sync:company ${id}`), ...chosen.map((name) => `report:${name}`)].sort(),
    )
    expect(await runsOf('started')).toEqual(ACCOUNTS.map((account) => [BigInt(account), 1n]))
    // A report waits for all syncs that were due before it, wherever they ran.
    expect(
      postgres.ask(
        'started',
        `select min(started_at) filter (where name like 'report:%') > max(finished_at) filter (where name like 'sync:%') from faultline_jobs`,
      ),
    ).toBe('t')
    expect(health).toMatchObject({ code: 0, out: expect.stringContaining('"report:mtta-mttr"') })
  })

  test('former states are asked for by number, time and age, as a user types them', async () => {
    const own = machine('once', 'reader')
    const command = (...args: string[]) => run(args, environment, own)
    const accountsAt = (at: string) =>
      command('sql', '--at', at, '--format', 'csv', 'select account_id from accounts order by 1')
    const of = (accounts: readonly number[]) => ({
      code: 0,
      out: ['account_id', ...accounts, ''].join('\r\n'),
    })
    const states = postgres.ask(
      'once',
      `select snapshot_id || ' ' || to_char(snapshot_time at time zone 'UTC' + interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        from ducklake_snapshot order by 1 desc`,
    )
    const [newest, time] = states.split('\n')[0]!.split(' ') as [string, string]
    expect(await accountsAt(newest)).toMatchObject(of(ACCOUNTS))
    expect(await accountsAt(time)).toMatchObject(of(ACCOUNTS))
    const before = await accountsAt('1')
    const [, first] = before.out.split('\r\n')
    expect(before).toMatchObject(of([Number(first)]))
    for (const [at, code, message] of [
      ['99999', 1, /does not keep a state 99999.*\n.*from 0/],
      ['1d', 1, /does not keep a state of/],
      ['yesterday', 2, /--at: "yesterday" is neither a date nor an age/],
    ] as const)
      expect(await accountsAt(at)).toMatchObject({ code, err: expect.stringMatching(message) })
    const report = (account: string | number) =>
      command(
        'report',
        'severity-trend',
        '--as-of-snapshot',
        '1',
        '--account',
        String(account),
        '--out',
        'then',
      )
    expect((await report(first!)).code).toBe(0)
    const other = ACCOUNTS.find((account) => String(account) !== first)!
    expect(await report(other)).toMatchObject({ code: 2, err: expect.stringContaining('holds no account') })
    const ofFile = await run(['sql', '--at', '3d', '--warehouse', './none.duckdb', 'select 1'], {}, own)
    expect(ofFile).toMatchObject({
      code: expect.any(Number),
      err: expect.stringMatching(/lake|no warehouse/),
    })
  })

  test('who syncs an account without Redis waits until what was sent before, by whomever, is out of the limits', async () => {
    const own = machine('quiet', 'm1', sandboxes, {})
    vi.stubEnv('FAULTLINE_LAKE_PASSWORD', PASSWORD)
    onTestFinished(() => void vi.unstubAllEnvs())
    const config = loadConfig({ config: join(own, 'config.json') })
    await publishedAt(config.warehouse).jobs!.read()
    postgres.ask(
      'quiet',
      `insert into faultline_jobs (name, holder, due_at, started_at, finished_at, outcome, failures) values
        ('sync:company 11', 'other 1', now(), now(), null, null, 0),
        ('sync:company 12', 'other 1', now(), now(), now() - interval '5 seconds', 'stopped', 0),
        ('sync:company 13', '${PROCESS}', now(), now(), null, null, 0)`,
    )
    const slept: number[] = []
    const lines: object[] = []
    const effects = {
      ...realEffects(),
      log: { ...silent, info: (message: string, facts?: object) => void lines.push({ message, ...facts }) },
      async sleep(ms: number, signal?: AbortSignal) {
        if (ms > 5_000) slept.push(ms)
        else await realEffects().sleep(ms, signal)
      },
    }
    const context = listening({ config: join(own, 'config.json') })
    const options = { effects, isOnce: true, syncs: 1, secrets: () => [] }
    const end = await runJobs(context, config, accountJobs(config, config.accounts), options)
    expect(end).toEqual({ isTidy: true, hasFailed: false })
    // Those that were never read come first, or they would wait behind others for ever.
    expect(lines[0]).toMatchObject({ message: 'job started', job: 'sync:company 14' })
    expect(slept.sort()).toEqual([expect.any(Number), 60_000, 60_000])
    expect(slept[0]).toBeLessThanOrEqual(55_000)
    expect(await runsOf('quiet')).toEqual(ACCOUNTS.map((account) => [BigInt(account), 1n]))
  })

  test('two configurations with an account of one name each do not take each other for done', async () => {
    const [one, two] = [...sandboxes].slice(0, 2).map(([id, sandbox]) => {
      const own = machine('teams', `m${id}`)
      const config = JSON.parse(readFileSync(join(own, 'config.json'), 'utf8')) as object
      const account = { name: 'prod', baseUrl: sandbox.baseUrl, appKeyFile: `./${id}.key` }
      writeFileSync(join(own, 'config.json'), JSON.stringify({ ...config, accounts: [account] }))
      return own
    }) as [string, string]
    const first = await worker(one).ended
    const second = await worker(two).ended
    expect([first, second].map(({ code, err }) => [code, err.includes('job ended')])).toEqual([
      [0, true],
      // The name is the other's for readers, and that is said.
      [1, true],
    ])
    expect(second.err).toContain('belongs to account 12')
    const again = await worker(one).ended
    expect([again.code, again.err.includes('job ended')]).toEqual([0, false])
    expect(again.err).toMatch(/nothing is due until 20\d\d-\d\d-\d\dT02:30Z/)
    const named = postgres.ask('teams', `select name from faultline_jobs where outcome = 'ok'`)
    expect(named).toMatch(/^sync:127\.0\.0\.1:\d+\/key [0-9a-f]{32}$/)
    postgres.ask(
      'teams',
      `update faultline_jobs set due_at = now() - interval '2 days', started_at = now() - interval '2 days'`,
    )
    expect((await worker(one).ended).code).toBe(0)
    expect(postgres.ask('teams', 'select name from faultline_jobs')).toMatch(
      new RegExp(`^sync:127\\.0\\.0\\.1:\\d+/${ACCOUNTS[0]}$`, 'm'),
    )
  })

  test('the commands of readers work on it as on a file', async () => {
    const own = machine('once', 'reader')
    const command = (...args: string[]) => run(args, environment, own)
    const sql = await command('sql', '--format', 'csv', 'select count(*) as n from incidents')
    expect(sql).toMatchObject({ code: 0, out: `n\r\n${INCIDENTS * ACCOUNTS.length}\r\n` })
    expect(await command('status')).toMatchObject({
      code: 0,
      out: expect.stringContaining('ducklake:postgres:'),
    })
    expect(await command('report', 'mtta-mttr', '--account', 'company 11')).toMatchObject({ code: 0 })
    expect(await command('export', 'incidents', '--out', join(own, 'exported'))).toMatchObject({ code: 0 })
    expect(await command('quarantine')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Nothing waits'),
    })
    expect(await command('check', '--deep')).toMatchObject({
      code: 0,
      out: expect.stringContaining('is what was published'),
    })
    expect(await command('restore')).toMatchObject({
      code: 1,
      err: expect.stringContaining('readers have a lake'),
    })
    expect((await command('config', 'show')).out).not.toContain(PASSWORD)
    const wrong = await run(['status'], { FAULTLINE_LAKE_PASSWORD: 'not-this-one' }, own)
    expect(wrong.code).toBe(1)
    expect(wrong.err).not.toContain('not-this-one')
  })

  test('one that is killed is taken over; readers see whole accounts all along', async () => {
    const random = seeded(7)
    const rounds = isLarge ? 12 : 5
    const machines = ['m1', 'm2', 'm3'].map((name) => machine('killed', name))
    let other: Running | undefined
    for (let round = 0; round < rounds; round++) {
      postgres.ask(
        'killed',
        'do $$ begin if to_regclass($t$faultline_jobs$t$) is not null then truncate faultline_jobs; end if; end $$',
      )
      const victim = worker(machines[round % 3]!)
      if (round % 4 === 1) other = worker(machines[(round + 1) % 3]!)
      await new Promise((resolve) => setTimeout(resolve, 1_000 + random() * 7_000))
      if (isLarge && round % 10 === 5) await postgres.restart()
      victim.process.kill('SIGKILL')
      await victim.ended
      await isWhole('killed', 0)
      await other?.ended
      other = undefined
    }
    await worker(machines[0]!).ended
    const last = await worker(machines[1]!).ended
    expect(last.code).toBe(0)
    await isWhole('killed')
  })

  test.each([
    ['through Redis', true],
    ['by waiting', false],
  ])('the limits of the service hold through a takeover, %s', async (_, isShared) => {
    // Without Redis the other waits for a minute.
    if (!isShared && !isLarge) return
    const sandbox = await startSandbox({ now: NOW, incidents: 2_000, accountId: 21, appKey: 'key-of-21' })
    const name = isShared ? 'shared' : 'waiting'
    const machines = ['m1', 'm2'].map((each) =>
      machine(name, each, new Map([[21, sandbox]]), isShared ? { redis: redis.url } : {}),
    )
    const victim = worker(machines[0]!)
    while (sandbox.stats().requests < 25) await new Promise((resolve) => setTimeout(resolve, 20))
    victim.process.kill('SIGKILL')
    await victim.ended
    const ended = await worker(machines[1]!).ended
    expect([ended.code, ended.err.includes('waits until')]).toEqual([0, !isShared])
    const { beyond_limits, most_in_1s, most_in_60s } = sandbox.stats()
    await sandbox.close()
    expect(beyond_limits).toBe(0)
    expect(most_in_1s.offered).toBeLessThanOrEqual(50)
    expect(most_in_60s.offered).toBeLessThanOrEqual(1_000)
    expect(await runsOf(name)).toEqual([[21n, 1n]])
  })

  test.each(['PostgreSQL', 'Redis'])('daemons outlive an outage, say so, and complete: %s', async (which) => {
    const isPostgres = which === 'PostgreSQL'
    const lake = `outage_${which.toLowerCase()}`
    const machines = ['m1', 'm2'].map((name) => machine(lake, name))
    await slowly(500)
    const daemons = [start(['start'], environment, machines[0]), start(['work'], environment, machines[1])]
    const told = daemons.map(({ process }) => listen(process.stderr!))
    const until = async (isSo: () => boolean) => {
      while (!isSo()) {
        expect(daemons.map(({ process }) => process.exitCode)).toEqual([null, null])
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
    const inTable = (table: string, where = 'true') =>
      postgres.ask(lake, `select to_regclass('faultline_${table}')`) === ''
        ? 0
        : Number(postgres.ask(lake, `select count(*) from faultline_${table} where ${where}`))
    await until(() => inTable('leases') === ACCOUNTS.length)
    const away = async () => {
      await until(() => told.some((text) => /(cannot be asked for work|"failed")/.test(text())))
      if (isLarge) await new Promise((resolve) => setTimeout(resolve, 60_000))
    }
    if (isPostgres) await postgres.restart(away)
    else {
      const { port } = redis
      await redis.stop()
      await away()
      redis = await startRedis({ port })
    }
    await slowly(0)
    // What failed is tried again ten minutes later.
    const soon = `update faultline_jobs set finished_at = finished_at - interval '10 minutes' where outcome = 'failed'`
    await until(() => {
      if (!isPostgres) postgres.ask(lake, soon)
      return inTable('jobs', `outcome = 'ok' and name like 'sync:%'`) === ACCOUNTS.length
    })
    for (const { process } of daemons) process.kill('SIGTERM')
    const ended = await Promise.all(daemons.map((one) => one.ended))
    expect(ended.map(({ code, err }) => [code, code === 0 || err])).toEqual(
      [0, 0].map((code) => [code, true]),
    )
    await isWhole(lake)
  })

  test('one that was paused, and wakes after its account was taken, publishes nothing', async () => {
    const [own, others] = [machine('paused', 'm1'), machine('paused', 'm2')]
    await slowly(300)
    const paused = worker(own, '--accounts', 'company 11')
    const isLeased = () =>
      postgres.ask('paused', `select to_regclass('faultline_leases')`) !== '' &&
      postgres.ask('paused', 'select count(*) from faultline_leases') === '1'
    while (!isLeased()) await new Promise((resolve) => setTimeout(resolve, 50))
    paused.process.kill('SIGSTOP')
    // As PostgreSQL does when it has not heard from it for a minute.
    postgres.ask(
      'paused',
      'select pg_terminate_backend(pid) from pg_locks where relation = $$faultline_locks$$::regclass',
    )
    await slowly(0)
    expect((await worker(others, '--accounts', 'company 11').ended).code).toBe(0)
    paused.process.kill('SIGCONT')
    const woken = await paused.ended
    expect(woken.err).toMatch(/was lost|leased to another/)
    expect(await runsOf('paused')).toEqual([[11n, 1n]])
    await isWhole('paused', 1)
  })
})

/** What a stream has said so far. */
function listen(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.on('data', (chunk) => {
    text += chunk
  })
  return () => text
}
