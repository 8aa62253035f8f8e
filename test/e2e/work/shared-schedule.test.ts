import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { listReports } from '../../../src/report/report-catalog.ts'
import { run, start } from '../../support/cli.ts'
import { freePort } from '../../support/free-port.ts'
import { PASSWORD } from '../../support/lake.ts'
import { ACCOUNTS, environment, fleetOfFile, INCIDENTS, isThere } from './fleet.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 })

const fleet = fleetOfFile()

describe.runIf(isThere)('workers of a lake and several `start` processes', () => {
  test('share the schedule, so that exactly one process runs each sync and each report', async () => {
    const machines = ['s1', 's2', 's3'].map((name) => fleet.machine('started', name))
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
    const port = await freePort()
    const monitored = ['--metrics', String(port), '--metrics-incidents']
    const running = [
      ...machines.slice(0, 2).map((own) => start(['start'], environment, own)),
      start(['lake', 'work', ...monitored], environment, machines[2]),
    ]
    const done = () =>
      fleet.postgres.ask('postgres', `select count(*) from pg_database where datname = 'started'`) === '1' &&
      fleet.postgres.ask('started', `select to_regclass('faultline_jobs')`) !== '' &&
      Number(
        fleet.postgres.ask('started', 'select count(*) from faultline_jobs where finished_at is not null'),
      )
    // Checks only every 500 ms, because each query of PostgreSQL starts a process.
    while (done() !== ACCOUNTS.length + chosen.length)
      await new Promise((resolve) => setTimeout(resolve, 500))
    const health = await run(['start', '--health', '--json'], environment, first)
    const worker = await run(['lake', 'work', '--health'], environment, machines[2])
    // The metrics cover all accounts of the lake, on whichever machine they were synced. Each request starts the next
    // computation of the metrics.
    let metrics = ''
    while (!/^faultline_incidents\{.*\} \d/m.test(metrics)) {
      metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    for (const { process } of running) process.kill('SIGTERM')
    const told = (await Promise.all(running.map(({ ended }) => ended))).map(({ err }) => err).join('')
    const ended = [...told.matchAll(/"message":"(\w+) ended".*?"job":"([^"]+)"/g)].map(([, , job]) => job)
    expect(ended.sort()).toEqual(
      [...ACCOUNTS.map((id) => `sync:company ${id}`), ...chosen.map((name) => `report:${name}`)].sort(),
    )
    expect(await fleet.runsOf('started')).toEqual(ACCOUNTS.map((account) => [BigInt(account), 1n]))
    // A report must wait for all earlier syncs, on whichever machine they ran.
    expect(
      fleet.postgres.ask(
        'started',
        `select min(started_at) filter (where name like 'report:%') > max(finished_at) filter (where name like 'sync:%') from faultline_jobs`,
      ),
    ).toBe('t')
    expect(worker).toMatchObject({ code: 0, out: expect.stringContaining('healthy') })
    for (const id of ACCOUNTS) expect(metrics).toContain(`account="company ${id}"`)
    expect(health).toMatchObject({ code: 0, out: expect.stringContaining('"report:mtta-mttr"') })
  })
})

describe.runIf(isThere)('a lake that several processes wrote', () => {
  test('can be queried at a past snapshot by number or time', async () => {
    const own = fleet.machine('started', 'reader')
    const command = (...args: string[]) => run(args, environment, own)
    const accountsAt = (at: string) =>
      command('sql', '--at', at, '--format', 'csv', 'select account_id from accounts order by 1')
    const of = (accounts: readonly number[]) => ({
      code: 0,
      out: ['account_id', ...accounts, ''].join('\r\n'),
    })
    const states = fleet.postgres.ask(
      'started',
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
      ['99999', 1, /has no snapshot 99999.*\n.*Available: 0/],
      ['1d', 1, /has no snapshot of/],
      ['yesterday', 2, /--at: invalid date or age "yesterday"/],
    ] as const)
      expect(await accountsAt(at)).toMatchObject({ code, err: expect.stringMatching(message) })
    const report = (account: string | number) =>
      command('report', 'severity-trend', '--at', '1', '--account', String(account), '--to', 'then')
    const made = { code: 0, out: expect.stringContaining('severity-trend/snapshot-1.html') }
    expect(await report(first!)).toMatchObject(made)
    const other = ACCOUNTS.find((account) => String(account) !== first)!
    expect(await report(other)).toMatchObject({ code: 2, err: expect.stringContaining('has no account') })
    const ofFile = await run(['sql', '--at', '3d', '--warehouse', './none.duckdb', 'select 1'], {}, own)
    expect(ofFile).toMatchObject({
      code: expect.any(Number),
      err: expect.stringMatching(/lake|No warehouse/),
    })
  })

  test('can be read by every command that reads a warehouse file', async () => {
    const own = fleet.machine('started', 'reader')
    const command = (...args: string[]) => run(args, environment, own)
    const sql = await command('sql', '--format', 'csv', 'select count(*) as n from incidents')
    expect(sql).toMatchObject({ code: 0, out: `n\r\n${INCIDENTS * ACCOUNTS.length}\r\n` })
    expect(await command('status')).toMatchObject({
      code: 0,
      out: expect.stringContaining('ducklake:postgres:'),
    })
    expect(await command('report', 'mtta-mttr', '--account', 'company 11')).toMatchObject({ code: 0 })
    expect(await command('export', 'incidents', '--to', join(own, 'exported'))).toMatchObject({ code: 0 })
    expect(await command('quarantine')).toMatchObject({
      code: 0,
      out: expect.stringContaining('No quarantined records'),
    })
    expect(await command('check', '--deep')).toMatchObject({
      code: 0,
      out: expect.stringContaining('matches what was published'),
    })
    expect(await command('restore')).toMatchObject({
      code: 1,
      err: expect.stringContaining('this warehouse is a lake'),
    })
    expect((await command('config', 'show')).out).not.toContain(PASSWORD)
    const wrong = await run(['status'], { FAULTLINE_LAKE_PASSWORD: 'not-this-one' }, own)
    expect(wrong.code).toBe(1)
    expect(wrong.err).not.toContain('not-this-one')
  })
})
