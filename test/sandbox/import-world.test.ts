import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../src/errors.ts'
import { type Json, NOW, open, readAll } from '../support/sandbox.ts'
import { sideDoor } from '../support/side-door.ts'
import { scratch } from '../support/warehouse.ts'

function directory(files: Record<string, string[]>): string {
  const path = scratch()
  for (const [name, lines] of Object.entries(files)) {
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
    writeFileSync(join(path, name), name.endsWith('.gz') ? gzipSync(bytes) : bytes)
  }
  return path
}

/** Lines of JSON as another program may write them: in another order, with spaces, long ids and unknown fields. */
const LINES = [3, 1, 2].map(
  (k) =>
    `{"title": "Row ${k} – \\u003cb\\u003e", "incident_id":"${'abc'.repeat(7)}00${k}","account_id":9007199254740993,"channel_id":${k % 2},"start_time":${1000 + k},"end_time":0,"ack_time":0,"close_time":${k === 1 ? 5000 : 0},"created_at":1000,"updated_at":6000,"progress":"${k === 1 ? 'Closed' : 'Triggered'}","incident_severity":"Ok","incident_status":"Ok","num":"00000${k}","labels":{"zone":"north ${k}"},"new_field":[1.50,null]}`,
)
const FILES = {
  'incidents.ndjson.gz': LINES,
  'channels.ndjson': ['{"channel_id":1,"channel_name":"One","status":"enabled","team_id":5}'],
  'teams.ndjson.gz': ['{"team_id":5,"team_name":"Five","person_ids":[9007199254740995]}'],
  'folders.ndjson': ['{"folder_id":3,"folder_name":"Top","rule_total":9,"triggered_rule_count":2}'],
  'post_mortems.ndjson': [
    `{"meta":{"post_mortem_id":"${'0f'.repeat(16)}","updated_at_seconds":5,"status":"published"},"basics":{},"content":{"content":""}}`,
  ],
}

describe('data imported into the sandbox', () => {
  test('is served exactly as given, whatever the clock shows', async () => {
    const service = await open({ dataDir: directory(FILES), now: NOW })
    const truth = async () => (await (await sideDoor(service.baseUrl, 'truth')).text()).trimEnd().split('\n')
    const sorted = [LINES[1], LINES[2], LINES[0]]
    expect(await truth()).toEqual(sorted)
    await service.advance(-NOW)
    expect(await truth()).toEqual(sorted)
    const { items, total } = await readAll(service, { start_time: 0, end_time: 10_000, asc: true, limit: 1 })
    expect([items.length, total, items[0].account_id]).toEqual([3, 3, 9_007_199_254_740_993n])
  })

  test('can be filtered, searched and read by id', async () => {
    const service = await open({ dataDir: directory(FILES) })
    const find = async (filter: Json) =>
      (await readAll(service, { start_time: 0, end_time: 10_000, asc: true, ...filter })).items.map(
        (one) => one.num,
      )
    expect(await find({ progress: 'Closed' })).toEqual(['000001'])
    expect(await find({ team_ids: [5] })).toEqual(['000001', '000003'])
    expect(await find({ query: 'NORTH 2' })).toEqual(['000002'])
    expect(await find({ query: 'row 3 – <b>' })).toEqual(['000003'])
    expect(await find({ query: `${'ABC'.repeat(7)}001` })).toEqual(['000001'])
    expect(await find({ query: `${'ABC'.repeat(7)}009` })).toEqual([])
    expect(await find({ closer_ids: [0] })).toEqual(['000001'])
    const { body } = await service.post('/team/infos', { team_ids: [5] })
    expect(body.data.items).toEqual([{ team_id: 5, team_name: 'Five', person_ids: [9_007_199_254_740_995n] }])
    const rows = (await service.post('/monit/rule/status', { folder_id: 0 })).body.data
    expect(rows).toEqual([{ folder_id: 3, folder_name: 'Top', rule_total: 9, triggered_rule_count: 2 }])
    const report = await service.get('/incident/post-mortem/info', { post_mortem_id: '0f'.repeat(16) })
    expect(report.body.data.meta.status).toBe('published')
    expect((await service.post('/member/list', {})).body.data.items).toEqual([])
  })

  test('requires the same keys and permissions as generated data', async () => {
    const service = await open({ dataDir: directory(FILES) })
    const window = { start_time: 0, end_time: 10_000 }
    expect(
      (await service.post('/incident/list', window, service.key('incident view (on-call)'))).status,
    ).toBe(200)
    expect((await service.post('/incident/list', window, service.key('none'))).status).toBe(403)
  })

  test('is rejected with file and line if an incident is invalid', async () => {
    await expect(open({ dataDir: directory({}) })).rejects.toThrow(ConfigError)
    const broken = directory({ 'incidents.ndjson': [LINES[0]!, '{"incident_id":"x"}'] })
    await expect(open({ dataDir: broken })).rejects.toThrow(
      /incidents\.ndjson:2 is not a valid record: "incident_id" .*24/,
    )
  })
})
