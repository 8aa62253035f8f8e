import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { planText } from '../../../src/cli/sync/plan.ts'
import { createClient } from '../../../src/client/client.ts'
import { realEffects } from '../../../src/effects.ts'
import { resources } from '../../../src/resources/index.ts'
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts'
import { type Preview, previewSync } from '../../../src/sync/preview.ts'
import type { Slice } from '../../../src/sync/slice.ts'
import { DAY } from '../../support/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-plan-'))
const effects = realEffects()
let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ now: 1_795_262_400, incidents: 50, limits: false })
})
afterAll(async () => {
  await sandbox.close()
  rmSync(folder, { recursive: true, force: true })
})

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

test('the plan of a first sync says what follows from what it finds', async () => {
  const text = planText(await preview([]))
  expect(text).toContain('And what these refer to, as it is found: channels, teams, post_mortems.')
  expect(text).toContain('at least')
})

test('and only of what is to be synced', async () => {
  expect(planText(await preview(['incidents', 'members']))).not.toContain('refer to')
})

test('where the past is stored, nothing more is said', () => {
  const slice: Slice = {
    resource: 'incidents',
    reason: 'new',
    window: { start: 0, end: DAY },
    ids: null,
    cursor: null,
    requests: 1,
  }
  expect(planText({ slices: [slice], following: [], requests: 1, seconds: 1 })).not.toContain('refer to')
})
