import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { reportOutcome, withProgress } from '../../../src/cli/start/job-handlers.ts'
import { MachineError } from '../../../src/errors.ts'

const never = new AbortController().signal

test('a scheduled job may run for any length of time while it reports progress', async () => {
  const done = await withProgress({ signal: never, idleMs: 500 }, async (signal, tell) => {
    for (let turn = 0; turn < 10; turn++) {
      tell(`${turn} of 10`)
      await sleep(100)
    }
    return signal.aborted
  })
  expect(done).toBe(false)
})

test('a scheduled job is aborted if it reports no new progress', async () => {
  const ended = withProgress({ signal: never, idleMs: 100 }, async (signal, tell) => {
    while (!signal.aborted) {
      tell('0 of 10')
      await sleep(10)
    }
    throw signal.reason
  })
  await expect(ended).rejects.toBeInstanceOf(MachineError)
  await expect(ended).rejects.toThrow(/without progress/)
})

test('a scheduled job is abandoned if it does not stop when aborted', async () => {
  const stuck = withProgress({ signal: never, idleMs: 50, graceMs: 50 }, () => new Promise(() => {}))
  await expect(stuck).rejects.toThrow(/without progress/)
})

test('a scheduled job stopped by an abort signal fails with the reason given by the signal', async () => {
  const stopping = new AbortController()
  const ended = withProgress({ signal: stopping.signal, idleMs: 60_000 }, async (signal) => {
    stopping.abort(new Error('stopped by SIGTERM'))
    throw signal.reason
  })
  await expect(ended).rejects.toThrow('stopped by SIGTERM')
})

test('a report delivery counts as refused only if all of its failures are permanent', () => {
  const [later, never] = [{ isTransient: true }, { isTransient: false }]
  expect(reportOutcome(false, [never])).toBe('refused')
  expect(reportOutcome(false, [never, later])).toBe('undelivered')
  expect(reportOutcome(false, [])).toBe('partial')
  expect(reportOutcome(true, [])).toBe('ok')
})
