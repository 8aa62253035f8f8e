import { describe, expect, test } from 'vitest'
import { sharedName, storedOf } from '../../../src/cli/start/shared-store.ts'
import type { Account } from '../../../src/config/accounts-section.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { type AccountJob, accountJobs } from '../../../src/schedule/jobs.ts'
import type { StoredJob } from '../../../src/warehouse/published.ts'

function job(account: Partial<Account>): AccountJob {
  const common = {
    name: undefined,
    baseUrl: 'https://service.example/api',
    appKey: 'key',
    accountId: undefined,
  }
  const config = loadConfig({ config: 'config.example.json' })
  return accountJobs(config, [{ ...config.accounts[0]!, appKeyFile: undefined, ...common, ...account }])[0]!
}
const run = (holder: string): StoredJob => ({
  ...{ dueAt: 0, startedAt: 0, finishedAt: 1, outcome: 'ok', failures: 0, tries: 0, holder },
})
const unknown = { accounts: new Map<string, bigint>(), jobs: new Map<string, StoredJob>() }

describe('the name of a sync job shared by several machines', () => {
  test('contains the service and the account number, not the configured account name', () => {
    const known = { accounts: new Map([[job({ appKey: 'other' }).keyDigest, 9n]]) }
    expect(sharedName(job({ name: 'prod', accountId: 7n }), known)).toBe('sync:service.example/7')
    expect(sharedName(job({ accountId: 7n }), known)).toBe('sync:service.example/7')
    expect(sharedName(job({ appKey: 'other' }), known)).toBe('sync:service.example/9')
    expect(sharedName(job({ baseUrl: 'https://eu.service.example:8443', accountId: 7n }), known)).toBe(
      'sync:eu.service.example:8443/7',
    )
  })

  test('contains a hash of the app key until the account number is known', () => {
    const names = ['one', 'two'].map((appKey) => sharedName(job({ appKey }), unknown))
    expect(names[0]).toMatch(/^sync:service\.example\/key [0-9a-f]{32}$/)
    expect(names[0]).not.toBe(names[1])
    expect(names.join()).not.toMatch(/one|two/)
  })

  test('replaces an older name without losing the last run stored under that name', () => {
    const named = job({ name: 'prod' })
    const before = { ...unknown, jobs: new Map([['sync:prod', run('by name')]]) }
    expect(storedOf(named, before)?.holder).toBe('by name')
    const byKey = new Map([...before.jobs, [sharedName(named, unknown), run('by key')]])
    expect(storedOf(named, { ...before, jobs: byKey })?.holder).toBe('by key')
    const accounts = new Map([[named.keyDigest, 7n]])
    expect(storedOf(named, { accounts, jobs: byKey })?.holder).toBe('by key')
    const byNumber = new Map([...byKey, ['sync:service.example/7', run('by number')]])
    expect(storedOf(named, { accounts, jobs: byNumber })?.holder).toBe('by number')
    // Every unnamed account has this name.
    const nameless = { ...unknown, jobs: new Map([['sync:', run('of another')]]) }
    expect(storedOf(job({}), nameless)).toBeUndefined()
  })
})
