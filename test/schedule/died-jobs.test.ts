import { describe, expect, test, vi } from 'vitest'
import { stateOf } from '../../src/schedule/due.ts'
import { job, MINUTE, nightly } from './daemon.ts'
import { allRecords, sharedRecords } from './loop.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 })

describe.runIf(allRecords.PostgreSQL)('with job records in PostgreSQL, a sync', () => {
  const from = sharedRecords(allRecords.PostgreSQL!)

  test('whose process died three times is recorded as interrupted, so that reports do not wait for it', async () => {
    const { begin, until, store, moveTo } = await from('2024-05-01T00:30:00Z')
    for (const minute of [30, 31, 32]) {
      await moveTo(`2024-05-01T00:${minute}:00Z`)
      const lease = (await store([nightly]).lease(nightly))!
      await lease.begin(Date.UTC(2024, 4, 1, 0, 30))
      await lease.release()
    }
    await moveTo('2024-05-01T00:33:00Z')
    const one = begin([nightly, job('report:mtta', '35 2 * * *')], { lookMs: MINUTE })
    await until('2024-05-01T00:50:00Z')
    const record = (await store([nightly]).read()).records.get('sync')
    await one.stop()
    expect(record).toMatchObject({ outcome: 'interrupted', tries: 3 })
    expect(one.of('report:mtta').map((time) => time.slice(11))).toContain('00:35')
  })

  test('whose process dies every time is started three times, and then waits for its next due time', async () => {
    const { store, moveTo } = await from('2024-05-01T12:00:00Z')
    const lookAt = async (minute: number) => {
      await moveTo(`2024-05-01T12:0${minute}:00Z`)
      const lease = (await store([nightly]).lease(nightly))!
      const state = stateOf(nightly, lease.record, { notBefore: 0, restartedAt: 0 })
      const isDue = state.nextRunAt! <= lease.now
      // A process that dies releases its lease, but records no end.
      if (isDue) await lease.begin(state.due!)
      await lease.release()
      return [isDue, lease.record.failures, lease.record.tries]
    }
    const looks = []
    for (let minute = 0; minute < 5; minute++) looks.push(await lookAt(minute))
    expect(looks).toEqual([
      [true, 0, 0],
      [true, 1, 1],
      [true, 2, 2],
      [false, 3, 3],
      [false, 3, 3],
    ])
  })
})
