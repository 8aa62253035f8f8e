import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { parseJson } from '../../src/contract/json.ts'
import { standingClock } from '../../src/sandbox/clock.ts'
import { buildCompany } from '../../src/sandbox/world/company.ts'
import { LABELS, phraseOf, placeOf, titleOf } from '../../src/sandbox/world/describe.ts'
import { worldIncidents } from '../../src/sandbox/world/world-incidents.ts'
import { DAY, type Json, NOW, open } from './harness.ts'

test('the words of a record are the words of its story, whatever is prepared for many', () => {
  const seed = 11
  const company = buildCompany(seed, 4_000, NOW, 77)
  const world = worldIncidents(
    { seed, incidents: 4_000, anchor: NOW },
    company,
    new Map(),
    standingClock(NOW),
  )
  for (let i = 0; i < world.count(); i++) {
    if (!world.isListed(i)) continue
    const slot = world.slotOf(i)
    const record = parseJson(world.json(i)) as Json
    const phrase = phraseOf(world.table, i, seed, placeOf(world.table, i, seed, slot))
    const expected = {
      incident_id: world.idOf(i),
      title: titleOf(world.table, i, seed, slot),
      description: phrase.description,
      ai_summary: world.stateOf(i).isSummarised ? phrase.summary : '',
      dedup_key: phrase.dedupKey,
      labels: Object.fromEntries((phrase.labels ?? []).map((value, k) => [LABELS[k], value])),
      num: world.row(i).num,
      channel_name: slot?.channel.channel_name ?? '',
    }
    expect(record).toMatchObject(expected)
    expect(record.labels).toEqual(expected.labels)
  }
})

test('a channel that gets another name is told by it at once', async () => {
  const service = await open({ seed: 3 })
  const list = async () =>
    (await service.post('/incident/list', { start_time: NOW - 20 * DAY, end_time: NOW, limit: 100 })).body
      .data.items as Json[]
  const { channel_id } = (await list()).find((row) => row.channel_id !== 0)
  for (const channel_name of ['Žluťoučký "kůň" \\ 馬', 'plain']) {
    await service.post('/channel/update', { channel_id, channel_name })
    const rows = (await list()).filter((row) => row.channel_id === channel_id)
    expect(rows.length).toBeGreaterThan(0)
    expect(new Set(rows.map((row) => row.channel_name))).toEqual(new Set([channel_name]))
  }
})

test('pages that are read late are as they were, though others were written meanwhile', async () => {
  const service = await open({ incidents: 9_000 })
  const ask = (page: number) =>
    JSON.stringify({ start_time: NOW - 31 * DAY, end_time: NOW, limit: 100, p: 1 + (page % 9) })
  const request = (page: number) =>
    `POST /incident/list?app_key=${service.appKey} HTTP/1.1\r\nContent-Length: ${ask(page).length}\r\n` +
    `Connection: ${page === PAGES - 1 ? 'close' : 'keep-alive'}\r\n\r\n${ask(page)}`
  // More than sockets hold on their way, asked for at once and on one connection.
  const PAGES = 60
  const socket = connect(service.port).pause()
  for (let page = 0; page < PAGES; page++) socket.write(request(page))
  await sleep(300)
  for (let page = 0; page < PAGES; page++) await service.post('/incident/list', ask(page + 1))
  const late = (await buffer(socket)).toString().split(/HTTP.1.1 200 OK.*?\r\n\r\n/s)
  expect(late.length).toBe(1 + PAGES)
  for (let page = 0; page < 9; page++) {
    const { body } = await service.post('/incident/list', ask(page))
    for (let k = page; k < PAGES; k += 9)
      expect(parseJson(late[k + 1]!)).toEqual({ ...body, request_id: expect.any(String) })
  }
})
