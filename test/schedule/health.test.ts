import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Health, healthOf, readHealth, recordsOf, writeHealth } from '../../src/schedule/health.ts'
import { diagnose, ended } from '../../src/schedule/health-problems.ts'
import { type JobRecord, type LastRun, newRecord, withLastRun } from '../../src/schedule/job-store.ts'
import { parseCron } from '../../src/settings/cron.ts'
import { ownFolder } from '../support/folder.ts'

const folder = ownFolder()
const HOUR = 3_600_000
const now = Date.parse('2026-11-21T12:00:00Z')

function record(changes: Partial<JobRecord> = {}): JobRecord {
  return {
    ...newRecord(now - 100 * HOUR),
    startedAt: now - 10 * HOUR,
    finishedAt: now - 9 * HOUR,
    outcome: 'ok',
    succeededAt: now - 9 * HOUR,
    ...changes,
  }
}

function health(
  sync: Partial<JobRecord> = {},
  changes: { name?: string; state?: Health['state']; updated?: number; next?: number | null } = {},
): Health {
  const job = {
    name: changes.name ?? 'sync',
    kind: 'sync',
    subject: undefined,
    cron: parseCron('30 2 * * *', 'UTC', 'test'),
  } as const
  const facts = { pid: 1, startedAt: now - 50 * HOUR, now: changes.updated ?? now }
  const nextRunAt = changes.next === undefined ? now + 14 * HOUR : changes.next
  return healthOf(changes.state ?? 'waiting', facts, [
    { job, record: record(sync), nextRunAt, due: nextRunAt },
  ])
}

describe('the health check of the scheduler', () => {
  const unwell: [string, Health | null, RegExp][] = [
    ['never started', null, /never started\. Run `faultline start`/],
    ['stopped', health({}, { state: 'stopped' }), /was stopped/],
    ['silent for a long time', health({}, { updated: now - 4 * 60_000 }), /ended or is stuck/],
    ['silent since the clock was set back', health({}, { updated: now + 30 * HOUR }), /ended or is stuck/],
    ['a time that is invalid', { ...health(), updatedAt: 'soon' }, /ended or is stuck/],
    [
      'a sync that failed',
      health({ outcome: 'failed', error: 'no key', failures: 1 }),
      /sync failed .*no key/,
    ],
    ['a sync that was interrupted', health({ outcome: 'interrupted', failures: 1 }), /interrupted/],
    [
      'a sync that failed and runs again',
      health({ outcome: null, failures: 1, error: 'away' }),
      /is being retried: away/,
    ],
    ['a sync that is overdue', health({}, { next: now - HOUR }), /has been overdue since 2026-11-21T11:00/],
    ['a sync that has run for more than a day', health({ outcome: null }, { next: now - HOUR }), /due again/],
    [
      "an account's sync that failed",
      health({ outcome: 'failed' }, { name: 'sync:emea' }),
      /sync:emea failed/,
    ],
  ]
  test.each(unwell)('reports a problem, and whether the scheduler has ended: %s', (name, state, message) => {
    expect(diagnose(state, now).problems.join()).toMatch(message)
    const hasEnded = /^(never started|stopped|silent|a time)/.test(name)
    expect(ended(state, now) !== null).toBe(hasEnded)
  })

  const well: [string, Health, RegExp | null][] = [
    ['a healthy schedule', health(), null],
    ['a first run', health({ startedAt: null, finishedAt: null, outcome: null, succeededAt: null }), null],
    ['a running sync', health({ outcome: null }), null],
    ['a delay of a few seconds', health({}, { next: now - 30_000 }), null],
    [
      'a sync with quarantined records',
      health({ outcome: 'partial', error: '3 records' }),
      /was partial.*3 records/,
    ],
    [
      'a report that failed',
      health({ outcome: 'failed', error: 'x' }, { name: 'report:a' }),
      /report:a failed/,
    ],
    [
      'a report that is late',
      health({}, { name: 'report:a', next: now - HOUR }),
      /report:a has been overdue/,
    ],
  ]
  test.each(well)('reports no problem: %s', (_, state, warning) => {
    const { problems, warnings } = diagnose(state, now)
    expect(problems).toEqual([])
    if (warning) expect(warnings.join()).toMatch(warning)
    else expect(warnings).toEqual([])
  })
})

describe('the health file', () => {
  test('stores the job records, and marks a running job as interrupted', () => {
    for (const each of [
      record(),
      record({ outcome: 'failed', error: 'x', failures: 2, tries: 1 }),
      newRecord(now),
    ]) {
      expect(recordsOf(JSON.parse(JSON.stringify(health(each)))).get('sync')).toEqual(each)
    }
    const running = record({ finishedAt: null, outcome: null, failures: 3, tries: 1 })
    expect(recordsOf(health(running)).get('sync')).toEqual({
      ...running,
      outcome: 'interrupted',
      finishedAt: now,
      failures: 4,
      tries: 2,
      error: 'the process ended while it ran',
    })
  })

  test('is replaced atomically, and is ignored if damaged', () => {
    const path = join(folder, 'deep', 'health.json')
    writeHealth(path, health())
    expect(readHealth(path)).toEqual(health())
    expect(readdirSync(join(folder, 'deep'))).toEqual(['health.json'])
    const changed = JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), pid: 0 })
    for (const text of [
      changed,
      '',
      '{"jobs":',
      'null',
      '[]',
      '{"updatedAt":1}',
      '{"updatedAt":"x","jobs":null}',
      '{"updatedAt":"x","jobs":{"sync":null}}',
    ]) {
      writeFileSync(path, text)
      expect(readHealth(path), text).toBeNull()
    }
    rmSync(path)
    expect(existsSync(path)).toBe(false)
    expect(readHealth(path)).toBeNull()
  })
})

describe('the sync record in the health file', () => {
  const warehouseRun = (hoursAgo: number, status: LastRun['status'] = 'ok'): LastRun => ({
    startedAt: now - hoursAgo * HOUR,
    finishedAt: status === 'interrupted' ? null : now - hoursAgo * HOUR + 60_000,
    status,
  })

  test('is replaced by the last sync in the warehouse if the record is older or missing', () => {
    expect(withLastRun(record(), warehouseRun(2))).toMatchObject({
      startedAt: now - 2 * HOUR,
      outcome: 'ok',
      failures: 0,
    })
    expect(withLastRun(undefined, warehouseRun(2))).toMatchObject({
      startedAt: now - 2 * HOUR,
      outcome: 'ok',
    })
    expect(withLastRun(record(), warehouseRun(2, 'failed'))).toMatchObject({ outcome: 'failed', failures: 1 })
    expect(withLastRun(undefined, warehouseRun(2, 'interrupted'))).toMatchObject({
      outcome: 'interrupted',
      failures: 1,
    })
  })

  test('is kept if the warehouse records the same sync', () => {
    // The warehouse records the run some seconds after the job began.
    const own = record({ outcome: 'failed', error: 'x', failures: 2 })
    expect(withLastRun(own, { ...warehouseRun(10, 'failed'), startedAt: own.startedAt! + 5_000 })).toBe(own)
  })

  test('is kept if the recorded sync was killed in its first second', () => {
    const died = record({
      outcome: 'interrupted',
      failures: 3,
      dueAt: now - 11 * HOUR,
      finishedAt: now - 10 * HOUR,
    })
    const noted = { ...warehouseRun(10, 'interrupted'), startedAt: died.startedAt! + 800 }
    expect(withLastRun(died, noted)).toBe(died)
  })

  test('is removed if the warehouse contains no sync, unless the recorded sync failed', () => {
    const failed = record({ outcome: 'failed', failures: 1 })
    expect(withLastRun(failed, null)).toBe(failed)
    expect(withLastRun(record(), null)).toBeUndefined()
    expect(withLastRun(undefined, null)).toBeUndefined()
  })
})
