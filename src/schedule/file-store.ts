import { type JobRecord, type JobStore, newRecord, notAhead, triesFor } from './job-store.ts'
import type { Job } from './jobs.ts'

/** Stores records in memory. @param remembered records from the health file of the previous process */
export function fileStore(
  jobs: readonly Job[],
  remembered: ReadonlyMap<string, JobRecord>,
  { now, lookMs = 60_000 }: { now(): number; readonly lookMs?: number },
): JobStore {
  const since = now()
  const records = new Map(jobs.map(({ name }) => [name, remembered.get(name) ?? newRecord(since)]))
  const never = new AbortController().signal
  const read = () => {
    const at = now()
    for (const [name, record] of records) records.set(name, notAhead(record, at))
    return { now: at, records: new Map(records), holders: new Map<string, string>() }
  }
  return {
    name: 'the health file',
    lookMs,
    read: async () => read(),
    async lease({ name }) {
      const { now: at } = read()
      const record = records.get(name)!
      return {
        now: at,
        record,
        lost: never,
        async begin(dueAt) {
          const tries = triesFor(dueAt, record)
          records.set(name, { ...record, dueAt, startedAt: at, finishedAt: null, outcome: null, tries })
        },
        end: async (ended) => void records.set(name, ended),
        release: async () => {},
      }
    },
  }
}
