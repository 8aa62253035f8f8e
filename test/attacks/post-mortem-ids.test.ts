import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { stringifyJson } from '../../src/contract/json.ts'
import { resources } from '../../src/resources/index.ts'
import { runSync } from '../../src/sync/run-sync.ts'
import { atOnce, standingTime } from '../support/clock.ts'
import { NOW, open } from '../support/sandbox.ts'
import { incident } from '../support/service.ts'
import { emptyWarehouse, rowsOf, scratch } from '../support/warehouse.ts'

/** The API document requires only a string as a post-mortem id. An invalid record must not fail the whole resource. */
const folder = scratch()
const warehouse = emptyWarehouse()

const IDS = [
  '0f'.repeat(16),
  'PM-7',
  '7',
  'a b/ü?&=%20#',
  "x'; drop table",
  'f'.repeat(24),
  'z'.repeat(1_000),
]
const start = NOW - 86_400

const run = (client: Parameters<typeof runSync>[0]['client']) =>
  runSync({
    client,
    warehouse: warehouse(),
    accountId: 1n,
    accountName: null,
    resources,
    effects: standingTime(NOW * 1_000, atOnce),
    concurrency: 4,
    version: '1.2.3',
    signal: new AbortController().signal,
    scope: { now: NOW, since: start, lookbackDays: 31, windowSeconds: 86_400, full: false },
  })

function report(post_mortem_id: string, more: object = {}) {
  return {
    meta: {
      post_mortem_id,
      title: `About ${post_mortem_id}`,
      updated_at_seconds: start,
      status: 'published',
    },
    basics: {},
    content: { content: '' },
    ...more,
  }
}

test('a sync stores post-mortems whose ids are arbitrary text', async () => {
  const incidents = [...IDS, 'unfit', 'gone'].map((post_mortem_id, index) =>
    incident(index, { start_time: start + index, updated_at: start + index, post_mortem_id }),
  )
  const reports = IDS.map((id) => report(id))
  const lines = (list: readonly object[]) => list.map((one) => `${stringifyJson(one)}\n`).join('')
  writeFileSync(join(folder, 'incidents.ndjson'), lines(incidents))
  writeFileSync(join(folder, 'post_mortems.ndjson'), lines(reports))
  const service = await open({ dataDir: folder })
  const client = createClient({ ...service, quota: Number.POSITIVE_INFINITY })
  const { status } = await run(client)
  await client.close()
  expect(status).toBe('ok')
  const stored = await rowsOf(warehouse(), 'select post_mortem_id from post_mortems')
  expect(stored.map((row) => row.post_mortem_id).sort()).toEqual(IDS.toSorted())
  const missing = await rowsOf(
    warehouse(),
    "select id from sync_checks where resource = 'post_mortems' and is_missing order by id",
  )
  expect(missing.map(({ id }) => id)).toEqual(['gone', 'unfit'])
})
