import { describe, expect, test, vi } from 'vitest'
import { start } from '../../support/cli.ts'
import { ACCOUNTS, environment, fleetOfFile, isThere } from './fleet.ts'

vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 300_000 })

/** How long a server stays away once that was said: longer than any worker goes without asking it, a lease's heartbeat of 15 s. */
const AWAY_MS = 20_000

const fleet = fleetOfFile()

describe.runIf(isThere)('workers of a lake that are cut off', () => {
  test('daemons outlive an outage of PostgreSQL, say so, and complete', async () => {
    const lake = 'outage'
    const machines = ['m1', 'm2'].map((name) => fleet.machine(lake, name))
    await fleet.slowly(500)
    const daemons = [
      start(['start'], environment, machines[0]),
      start(['lake', 'work'], environment, machines[1]),
    ]
    const told = daemons.map(({ process }) => listen(process.stderr!))
    const until = async (isSo: () => boolean) => {
      while (!isSo()) {
        expect(daemons.map(({ process }) => process.exitCode)).toEqual([null, null])
        // To ask PostgreSQL takes a process.
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }
    const inTable = (table: string, where = 'true') =>
      fleet.postgres.ask(lake, `select to_regclass('faultline_${table}')`) === ''
        ? 0
        : Number(fleet.postgres.ask(lake, `select count(*) from faultline_${table} where ${where}`))
    await until(() => inTable('leases') === ACCOUNTS.length)
    const away = async () => {
      await until(() => told.some((text) => /(is not available|"failed")/.test(text())))
      await new Promise((resolve) => setTimeout(resolve, AWAY_MS))
    }
    await fleet.postgres.restart(away)
    await fleet.slowly(0)
    await until(() => inTable('jobs', `outcome = 'ok' and name like 'sync:%'`) === ACCOUNTS.length)
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
    const paused = fleet.worker(own, '--account', 'company 11')
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
    expect((await fleet.worker(others, '--account', 'company 11').ended).code).toBe(0)
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
