import { expect, test } from 'vitest'
import { silent } from '../../src/effects.ts'
import { type JobRecord, newRecord } from '../../src/schedule/job-store.ts'
import type { Job } from '../../src/schedule/jobs.ts'
import { type RunFor, runJob } from '../../src/schedule/run-job.ts'
import { parseCron } from '../../src/settings/cron.ts'

const HOUR = 3_600_000
const STARTED = Date.UTC(2026, 10, 23, 6, 59)
const job = {
  name: 'report:review',
  kind: 'report',
  cron: parseCron('0 7 * * *', 'UTC', 'schedule'),
} as unknown as Job

/** The first run of a job that was planned at 6:59 and runs later. */
async function firstRunAt(now: number): Promise<{ what: RunFor; record: JobRecord }> {
  const runs: RunFor[] = []
  const records: JobRecord[] = []
  const lease = {
    ...{ now, record: newRecord(STARTED), lost: new AbortController().signal },
    begin: async () => {},
    end: async (record: JobRecord) => void records.push(record),
    release: async () => {},
  }
  await runJob(
    {
      effects: { now: () => now, log: silent },
      signal: new AbortController().signal,
      run: async (_job, _signal, what) => {
        runs.push(what)
        return { outcome: 'ok', error: null }
      },
    },
    { job, lease, due: STARTED, free() {}, nextOf: () => null },
  )
  return { what: runs[0]!, record: records[0]! }
}

test('the first run of a job, before the due time, does not replace the scheduled run', async () => {
  const { what, record } = await firstRunAt(STARTED + 30_000)
  expect([what.isFirst, what.due, record.dueAt]).toEqual([true, STARTED, STARTED])
})

test('the first run of a job, delayed past the due time, replaces the scheduled run', async () => {
  const seven = STARTED + 60_000
  const { what, record } = await firstRunAt(STARTED + HOUR)
  expect([what.isFirst, what.due, record.dueAt]).toEqual([false, seven, seven])
})
