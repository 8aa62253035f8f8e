import { describe, expect, test, vi } from 'vitest'
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts'
import { type Running, start } from '../../support/cli.ts'
import { seeded } from '../../support/random.ts'
import { startRedis } from '../../support/redis-server.ts'
import { ACCOUNTS, environment, fleetOfFile, isThere, NOW } from './fleet.ts'

vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 120_000 })

const fleet = fleetOfFile()

describe.runIf(isThere)('workers of a lake that are killed', () => {
  test('one that is killed is taken over; readers see whole accounts all along', async () => {
    const random = seeded(7)
    const machines = ['m1', 'm2', 'm3'].map((name) => fleet.machine('killed', name))
    let other: Running | undefined
    for (let round = 0; round < 12; round++) {
      fleet.postgres.ask(
        'killed',
        'do $$ begin if to_regclass($t$faultline_jobs$t$) is not null then truncate faultline_jobs; end if; end $$',
      )
      const victim = fleet.worker(machines[round % 3]!)
      if (round % 4 === 1) other = fleet.worker(machines[(round + 1) % 3]!)
      await new Promise((resolve) => setTimeout(resolve, 1_000 + random() * 7_000))
      if (round % 10 === 5) await fleet.postgres.restart()
      victim.process.kill('SIGKILL')
      await victim.ended
      await fleet.isWhole('killed', 0)
      await other?.ended
      other = undefined
    }
    await fleet.worker(machines[0]!).ended
    const last = await fleet.worker(machines[1]!).ended
    expect(last.code).toBe(0)
    await fleet.isWhole('killed')
  })

  test.each([
    ['through Redis', true],
    ['by waiting', false],
  ])('the limits of the service hold through a takeover, %s', async (_, isShared) => {
    const sandbox = await startSandbox({ now: NOW, incidents: 2_000, accountId: 21, appKey: 'key-of-21' })
    const name = isShared ? 'shared' : 'waiting'
    const machines = ['m1', 'm2'].map((each) =>
      fleet.machine(name, each, new Map([[21, sandbox]]), isShared ? { redis: fleet.redis.url } : {}),
    )
    const victim = fleet.worker(machines[0]!)
    while (sandbox.stats().requests < 25) await new Promise((resolve) => setTimeout(resolve, 20))
    victim.process.kill('SIGKILL')
    await victim.ended
    const ended = await fleet.worker(machines[1]!).ended
    expect([ended.code, ended.err.includes('waits until')]).toEqual([0, !isShared])
    const { beyond_limits, most_in_1s, most_in_60s } = sandbox.stats()
    await sandbox.close()
    expect(beyond_limits).toBe(0)
    expect(most_in_1s.offered).toBeLessThanOrEqual(50)
    expect(most_in_60s.offered).toBeLessThanOrEqual(1_000)
    expect(await fleet.runsOf(name)).toEqual([[21n, 1n]])
  })
})

describe.runIf(isThere)('workers of a lake that are cut off', () => {
  test.each(['PostgreSQL', 'Redis'])('daemons outlive an outage, say so, and complete: %s', async (which) => {
    const isPostgres = which === 'PostgreSQL'
    const lake = `outage_${which.toLowerCase()}`
    const machines = ['m1', 'm2'].map((name) => fleet.machine(lake, name))
    await fleet.slowly(500)
    const daemons = [start(['start'], environment, machines[0]), start(['work'], environment, machines[1])]
    const told = daemons.map(({ process }) => listen(process.stderr!))
    const until = async (isSo: () => boolean) => {
      while (!isSo()) {
        expect(daemons.map(({ process }) => process.exitCode)).toEqual([null, null])
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
    const inTable = (table: string, where = 'true') =>
      fleet.postgres.ask(lake, `select to_regclass('faultline_${table}')`) === ''
        ? 0
        : Number(fleet.postgres.ask(lake, `select count(*) from faultline_${table} where ${where}`))
    await until(() => inTable('leases') === ACCOUNTS.length)
    const away = async () => {
      await until(() => told.some((text) => /(cannot be asked for work|"failed")/.test(text())))
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    }
    if (isPostgres) await fleet.postgres.restart(away)
    else {
      const { port } = fleet.redis
      await fleet.redis.stop()
      await away()
      fleet.redis = await startRedis({ port })
    }
    await fleet.slowly(0)
    // What failed is tried again ten minutes later.
    const soon = `update faultline_jobs set finished_at = finished_at - interval '10 minutes' where outcome = 'failed'`
    await until(() => {
      if (!isPostgres) fleet.postgres.ask(lake, soon)
      return inTable('jobs', `outcome = 'ok' and name like 'sync:%'`) === ACCOUNTS.length
    })
    for (const { process } of daemons) process.kill('SIGTERM')
    const ended = await Promise.all(daemons.map((one) => one.ended))
    expect(ended.map(({ code, err }) => [code, code === 0 || err])).toEqual(
      [0, 0].map((code) => [code, true]),
    )
    await fleet.isWhole(lake)
  })

  test('one that was paused, and wakes after its account was taken, publishes nothing', async () => {
    const [own, others] = [fleet.machine('paused', 'm1'), fleet.machine('paused', 'm2')]
    await fleet.slowly(300)
    const paused = fleet.worker(own, '--accounts', 'company 11')
    const isLeased = () =>
      fleet.postgres.ask('paused', `select to_regclass('faultline_leases')`) !== '' &&
      fleet.postgres.ask('paused', 'select count(*) from faultline_leases') === '1'
    while (!isLeased()) await new Promise((resolve) => setTimeout(resolve, 50))
    paused.process.kill('SIGSTOP')
    // As PostgreSQL does when it has not heard from it for a minute.
    fleet.postgres.ask(
      'paused',
      'select pg_terminate_backend(pid) from pg_locks where relation = $$faultline_locks$$::regclass',
    )
    await fleet.slowly(0)
    expect((await fleet.worker(others, '--accounts', 'company 11').ended).code).toBe(0)
    paused.process.kill('SIGCONT')
    const woken = await paused.ended
    expect(woken.err).toMatch(/was lost|leased to another/)
    expect(await fleet.runsOf('paused')).toEqual([[11n, 1n]])
    await fleet.isWhole('paused', 1)
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
