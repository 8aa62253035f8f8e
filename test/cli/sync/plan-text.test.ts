import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { planText } from '../../../src/cli/sync/plan-accounts.ts'
import { createClient } from '../../../src/client/client.ts'
import { realEffects } from '../../../src/effects.ts'
import { resources } from '../../../src/resources/index.ts'
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts'
import type { Preview } from '../../../src/sync/preview.ts'
import type { Slice } from '../../../src/sync/slice.ts'
import { ownFolder } from '../../support/folder.ts'
import { DAY } from '../../support/service.ts'
import { previewSync, syncAccounts } from '../../support/storage.ts'

const folder = ownFolder()
const effects = realEffects()
let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ now: 1_795_262_400, incidents: 50, limits: false })
})
afterAll(() => sandbox.close())

async function preview(names: readonly string[]): Promise<Preview> {
  const appKey = sandbox.appKeys.find(({ name }) => name === 'all')!.key
  const client = createClient({ baseUrl: sandbox.baseUrl, appKey, effects })
  onTestFinished(() => client.close())
  return previewSync({
    client,
    path: join(folder, 'none.duckdb'),
    resources: resources.filter(({ table }) => names.length === 0 || names.includes(table)),
    known: resources,
    scope: (now) => ({ now, since: now - 90 * DAY, lookbackDays: 31, windowSeconds: 31 * DAY, full: false }),
    quota: 1,
    effects,
    signal: new AbortController().signal,
  })
}

test('the plan for a first sync lists the records that other records refer to', async () => {
  const text = planText(await preview([]), 'UTC')
  expect(text).toContain(
    'Also reads the records that the resources above refer to: channels, teams, post_mortems, about ',
  )
  expect(text).toMatch(/about \d+ requests, at least \d+ s at the quota/)
})

test('the plan of a sync omits referenced records that will not be synced', async () => {
  expect(planText(await preview(['incidents', 'members']), 'UTC')).not.toContain('refer to')
})

test('the plan of a sync without a backfill omits the records that other records refer to', () => {
  const slice: Slice = {
    resource: 'incidents',
    reason: 'new',
    window: { start: 0, end: DAY },
    ids: null,
    cursor: null,
    requests: 1,
  }
  expect(
    planText({ slices: [slice], following: [], followingRequests: 0, requests: 1, seconds: 1 }, 'UTC'),
  ).not.toContain('refer to')
})

test('the plan for a first sync estimates the number of requests within 25%', async () => {
  const own = await startSandbox({ now: 1_795_262_400, incidents: 3_000, limits: false })
  onTestFinished(() => own.close())
  const path = join(folder, 'first.duckdb')
  const given = { baseUrl: own.baseUrl, appKey: own.appKey }
  const client = createClient({ ...given, effects, quota: Number.POSITIVE_INFINITY })
  onTestFinished(() => client.close())
  const scope = (now: number) => ({
    now,
    since: now - 150 * DAY,
    lookbackDays: 31,
    windowSeconds: 31 * DAY,
    full: false,
  })
  const common = { path, resources, known: resources, effects, signal: new AbortController().signal }
  const { requests } = await previewSync({ ...common, client, scope, quota: 1 })
  const asked = client.stats().requests
  const { outcomes } = await syncAccounts({
    ...common,
    accounts: [{ name: null, connect: () => client, scope }],
    jobs: 1,
    version: 'test',
  })
  const took = client.stats().requests - asked
  expect(outcomes[0]).toMatchObject({ summary: { status: 'ok' } })
  expect(asked).toBeLessThan(12)
  expect(took).toBeGreaterThan(80)
  expect(Math.abs(requests - took) / took).toBeLessThan(0.25)
})
