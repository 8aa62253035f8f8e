import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { resources } from '../../../src/resources/index.ts'
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts'
import type { Running } from '../../support/cli.ts'
import { seeded } from '../../support/random.ts'
import { openWarehouse } from '../../support/storage.ts'
import { differences } from '../../support/truth.ts'
import { fleetOfFile, isThere, NOW } from './fleet.ts'

vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 300_000 })

const fleet = fleetOfFile()

describe.runIf(isThere)('a killed worker of a lake', () => {
  test('is replaced by another one, and readers always see complete accounts', async () => {
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

  test('leaves its sync to another one, which waits after each 429 and loses no request', async () => {
    const sandbox = await startSandbox({ now: NOW, incidents: 2_000, accountId: 21, appKey: 'key-of-21' })
    const machines = ['m1', 'm2'].map((each) => fleet.machine('taken', each, new Map([[21, sandbox]])))
    const victim = fleet.worker(machines[0]!)
    while (sandbox.stats().requests < 25) await new Promise((resolve) => setTimeout(resolve, 20))
    victim.process.kill('SIGKILL')
    await victim.ended
    const ended = await fleet.worker(machines[1]!).ended
    expect(ended.code).toBe(0)
    onTestFinished(() => sandbox.close())
    expect(await fleet.runsOf('taken')).toEqual([[21n, 1n]])
    const fresh = await openWarehouse(fleet.postgres.lake('taken'), resources, { accountId: 21n })
    await fresh.close()
    expect(await differences(sandbox.baseUrl, fresh.files.working)).toEqual([])
  })
})
