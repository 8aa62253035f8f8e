import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { exportWarehouse } from '../../src/cli/export/export-warehouse.ts'
import { type CallOptions, type Client, createClient } from '../../src/client/client.ts'
import type { PrivacyRules } from '../../src/config/privacy-section.ts'
import type { OperationName, RequestOf } from '../../src/contract/index.ts'
import { parseJson } from '../../src/contract/json.ts'
import { realEffects } from '../../src/effects.ts'
import { runReport } from '../../src/page/run-report.ts'
import { writeReport } from '../../src/page/write-report-files.ts'
import { allReports } from '../../src/report/report-catalog.ts'
import { resources } from '../../src/resources/index.ts'
import { withPrivacy } from '../../src/resources/privacy/with-privacy.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { ACCOUNT_ID } from '../../src/sandbox/world/company.ts'
import type { SyncResult } from '../../src/sync/sync-accounts.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import { listening } from '../support/console.ts'
import { sideDoor } from '../support/side-door.ts'
import { openReader, sync } from '../support/storage.ts'
import { preparedWarehouse } from '../support/warehouse.ts'
import { holding, withFile } from './stored-values.ts'

const salt = 'a-salt-that-nobody-guesses'
const RULES = {
  drop: ['members.phone', 'incidents.creator.email', 'incidents.owner'],
  hash: [
    'members.email',
    'incident_responders.email',
    'incidents.reporter_email',
    'incidents.closer.email',
    'incidents.integration_types',
  ],
  salt,
}
const NO_RULES = { drop: [], hash: [], salt: '' }

let sandbox: Sandbox
let folder: string
let path: string
beforeAll(async () => {
  sandbox = await startSandbox({ incidents: 120, limits: false, now: 1_795_262_400 })
})
afterAll(() => sandbox.close())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-privacy-'))
  path = join(folder, 'faultline.duckdb')
  preparedWarehouse(path, ACCOUNT_ID)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function advance(seconds: number) {
  const body = JSON.stringify({ advance_s: seconds })
  return sideDoor(sandbox.baseUrl, 'clock', body)
}

async function syncWith(
  rules: PrivacyRules,
  more: { full?: boolean; tables?: string[]; spoil?: boolean; notices?: string[] } = {},
): Promise<SyncResult> {
  const effects = realEffects()
  const client = createClient({ ...sandbox, quota: Number.POSITIVE_INFINITY, effects })
  const known = withPrivacy(resources, rules)
  try {
    return await sync({
      client: more.spoil ? spoiling(client) : client,
      effects,
      path,
      known,
      resources: known.filter(({ table }) => more.tables?.includes(table) ?? true),
      signal: new AbortController().signal,
      concurrency: 4,
      version: '1.2.3',
      onNotice: (sentence) => more.notices?.push(sentence),
      scope: (now) => ({
        now,
        since: now - 365 * 86_400,
        lookbackDays: 31,
        windowSeconds: 30 * 86_400,
        full: more.full ?? false,
      }),
    })
  } finally {
    await client.close()
  }
}

/** A client that makes the first incident of each page invalid, and changes the others. */
function spoiling(client: Client): Client {
  return {
    ...client,
    async read<Name extends OperationName>(name: Name, input: RequestOf<Name>, options?: CallOptions) {
      const reply = await client.read(name, input, options)
      const items = (reply.data as { items?: Record<string, unknown>[] }).items
      if (name === 'incident/list')
        for (const item of items ?? [])
          Object.assign(item, item === items![0] ? { start_time: 'x' } : { num: '!' })
      return reply
    },
  }
}

interface Person {
  readonly phone?: string
  readonly email?: string
}

/** Every e-mail address and telephone number that the service returns. */
async function plainValues(): Promise<string[]> {
  const client = createClient({ ...sandbox, quota: Number.POSITIVE_INFINITY })
  const values = new Set<string>()
  for (let p = 1, more = true; more; p++) {
    const { data } = await client.call('member/list', { p, limit: 100 })
    for (const { phone, email } of data.items as Person[])
      for (const value of [phone, email]) if (value) values.add(value)
    more = data.items!.length === 100
  }
  await client.close()
  const truth = await (await sideDoor(sandbox.baseUrl, 'truth')).text()
  for (const line of truth.split('\n').filter((one) => one !== '')) {
    const record = parseJson(line) as {
      reporter_email?: string
      creator?: Person
      closer?: Person
      owner?: Person
      responders: Person[]
    }
    const people = [record.creator, record.closer, record.owner, ...record.responders]
    for (const person of people) if (person?.email) values.add(person.email)
    if (record.reporter_email) values.add(record.reporter_email)
  }
  expect(values.size).toBeGreaterThan(30)
  return [...values]
}

const rows = (sql: string) => withFile(path, (query) => query(sql))

/** Writes all outputs of a warehouse: pages, CSV tables and exports. */
async function writeAll() {
  const reader = await openReader(path)
  const sessions = pooled(reader)
  for (const report of allReports(undefined)) {
    writeReport(await runReport(report.file, sessions), join(folder, 'out'), ['html', 'csv', 'json'])
  }
  reader.close()
  const context = listening({ warehouse: path })
  await exportWarehouse(context, [], { format: 'parquet,csv,ndjson', to: join(folder, 'export') })
}

describe('privacy rules', () => {
  test('leave no unredacted value and no salt in any file', async () => {
    const values = await plainValues()
    expect((await syncWith(RULES)).status).toBe('ok')
    const spoilt = await syncWith(RULES, { full: true, tables: ['incidents'], spoil: true })
    expect(spoilt.quarantined).toBeGreaterThan(0)
    await advance(3_600)
    expect((await syncWith(RULES)).failures).toEqual([])
    await writeAll()
    expect(await holding(folder, [...values, salt])).toEqual([])
    const [quarantined] = await rows(
      `select count(*) > 0, count(*) filter (contains(payload, '"email":""')) > 0 from quarantine`,
    )
    expect(quarantined).toEqual([true, true])
  }, 300_000)
})

describe('changed privacy rules', () => {
  test('are applied to rows that are already stored, including versions and quarantine', async () => {
    const values = await plainValues()
    await syncWith(NO_RULES)
    await syncWith(NO_RULES, { full: true, tables: ['incidents'], spoil: true })
    await advance(86_400)
    await syncWith(NO_RULES)
    const counts = 'select (select count(*) from incident_versions), (select count(*) from incidents)'
    const before = await rows(counts)
    expect(Number(before[0]![0])).toBeGreaterThan(0)
    // Without rules, the search must find plain values.
    expect(await holding(folder, values)).not.toEqual([])

    const result = await syncWith(RULES)
    expect(result.status).toBe('ok')
    expect(await holding(folder, values)).toEqual([])
    expect(
      await rows("select count(*) > 0 from incident_versions where (closer->>'email') like 'hmac:%'"),
    ).toEqual([[true]])
    const lists = 'select count(*), count(*) filter (list_bool_and(list_transform(integration_types, '
    const [types] = await rows(
      `${lists}lambda one: one like 'hmac:%'))) from incidents where len(integration_types) > 0`,
    )
    expect(types![0]).toBe(types![1])
    expect(Number(types![0])).toBeGreaterThan(0)
    // A change of rules alone creates no version.
    expect(await rows(counts)).toEqual(before)
    expect(readdirSync(folder).filter((file) => /changed|next/.test(file))).toEqual([])

    const next = await syncWith(RULES)
    expect(next).toMatchObject({ status: 'ok', replaced: 0 })
    expect(await rows(counts)).toEqual(before)
  }, 300_000)

  test('that no longer redact a column restore its values only once the data is read again', async () => {
    const notices: string[] = []
    await syncWith(RULES, { notices })
    await syncWith({ ...RULES, drop: RULES.drop.slice(1) }, { notices })
    expect(notices).toEqual([
      expect.stringMatching(/^Privacy rules were removed: drop members\.phone\. The values/),
    ])
    await syncWith(NO_RULES, { notices })
    await syncWith(NO_RULES, { notices })
    expect(notices).toHaveLength(2)
    expect(notices[1]).toMatch(/: drop incidents\.creator\.email, .*, hash members\.email\. The/)
    const phones = 'select count(phone) > 0 from members'
    const reporters =
      "select count(*) from incidents where reporter_email like 'hmac:%' and start_time < now() - interval 40 days"
    expect(await rows(phones)).toEqual([[true]])
    await syncWith(NO_RULES, { full: true })
    expect(await rows(reporters)).toEqual([['0']])
  }, 300_000)
})
