import { expect, test } from 'vitest'
import { type JobState, type Since, startable, stateOf } from '../../src/schedule/due.ts'
import { newRecord } from '../../src/schedule/job-store.ts'
import { job } from './daemon.ts'

const HERE = Date.parse('2024-05-01T12:00:00Z')
/** Another machine of the lake started a moment later. */
const ELSEWHERE = HERE + 700
const [sync, report] = [job('sync:one', '30 2 * * *'), job('report:mtta', '0 8 * * *')]
const since: Since = { notBefore: 0, restartedAt: HERE }

/** The jobs of a new lake as this machine sees them during a sync elsewhere. */
function states(dueAt: number, nextReport: JobState): JobState[] {
  const begun = { ...newRecord(HERE), dueAt, startedAt: ELSEWHERE + 50 }
  return [stateOf(sync, begun, since), nextReport]
}

test('the first report on one machine waits for the first sync on another machine', () => {
  const first = stateOf(report, newRecord(HERE), since)
  const now = ELSEWHERE + 10_000
  const places = { sync: 4, report: 1 }
  const namesOf = (all: JobState[]) => startable(all, [], { now, places }).map((one) => one.job.name)
  expect(namesOf(states(ELSEWHERE, first))).toEqual(['sync:one'])
  // The report does not wait for a later scheduled sync, because such waits could continue for ever.
  const later = sync.cron.next(HERE)!
  expect(namesOf(states(later, first)).sort()).toEqual(['report:mtta', 'sync:one'])
  // A report that has already run once does not wait for this sync, because the report was due first.
  const made = { ...newRecord(0), dueAt: 1, startedAt: HERE - 86_400_000, outcome: 'ok' as const }
  expect(namesOf(states(ELSEWHERE, stateOf(report, made, since)))).toContain('report:mtta')
})
