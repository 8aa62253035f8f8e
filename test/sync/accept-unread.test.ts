import { expect, test } from 'vitest'
import { ServiceError } from '../../src/errors.ts'
import { DAY, epoch } from '../support/service.ts'
import { filled, running, start } from './running.ts'

const { run, count, windows } = running()

/** A service that fails for every window that begins between two days, counted from `epoch`. */
function failing(from: number, to: number) {
  const service = filled()
  service.before = (name, input) => {
    const day = (Number(input.start_time) - epoch) / DAY
    if (name !== 'incident/list' || input.incident_ids || day < from || day >= to) return undefined
    throw new ServiceError('incident/list: InternalError', {
      ...{ operation: 'incident/list', code: 'InternalError', status: 500, requestId: 'r', next: 'Later.' },
    })
  }
  return service
}

test('a first sync with unread windows is complete only if a person accepts the gap', async () => {
  const service = failing(20, 40)
  expect(await run(service)).toMatchObject({ status: 'failed', complete: false, asOf: null })
  const accepted = await run(service, start + 60, { scope: { acceptUnproven: true } })
  expect(accepted).toMatchObject({ status: 'failed', complete: true, asOf: start })
  expect(accepted.failures[0]!.message).toContain('InternalError')
  expect((await windows(`run_id = 2 and state = 'open'`)).length).toBeGreaterThan(0)
  expect(await count('sync_accepted where row_count is null')).toBeGreaterThan(0)
})

test('a sync after an accepted gap is complete, and reads the missing windows as soon as possible', async () => {
  const service = failing(20, 40)
  await run(service, start, { scope: { acceptUnproven: true } })
  expect(await run(service, start + DAY)).toMatchObject({
    status: 'failed',
    complete: true,
    asOf: start + DAY,
  })
  service.before = () => undefined
  expect(await run(service, start + 2 * DAY)).toMatchObject({ status: 'ok', complete: true })
  expect(await count('incidents')).toBe(300)
})

test('a sync is incomplete if a window outside the accepted gap is unread', async () => {
  await run(failing(20, 40), start, { scope: { acceptUnproven: true } })
  const worse = failing(20, 200)
  expect(await run(worse, start + DAY)).toMatchObject({ status: 'failed', complete: false, asOf: null })
})

test('a sync that could not read any window is never complete, even if a person accepts the gap', async () => {
  const scope = { acceptUnproven: true }
  expect(await run(failing(-1, 500), start, { scope })).toMatchObject({ status: 'failed', complete: false })
})

test('an accepted gap at the end of the period moves the as-of time of the data back', async () => {
  const summary = await run(failing(60, 200), start, { scope: { acceptUnproven: true } })
  expect(summary.complete).toBe(true)
  expect(summary.asOf).toBeLessThanOrEqual(epoch + 75 * DAY)
})
