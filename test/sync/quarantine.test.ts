import { describe, expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { withPrivacy } from '../../src/resources/privacy/with-privacy.ts'
import type { Resource } from '../../src/resources/resource.ts'
import { replayQuarantine } from '../../src/sync/replay.ts'
import { DAY, epoch, type FakeService, fakeService, incident } from '../support/service.ts'
import { running } from './running.ts'

const { rows, run: runAny, warehouse } = running()
const start = epoch + 20 * DAY

const run = (service: FakeService, now: number, accountId = 1n, known: readonly Resource[] = resources) =>
  runAny(service, now, { accountId, resources: known })

const waiting = (columns = 'resource, path, record_key, times_seen, run_id, first_seen_at, seen_at') =>
  rows(`select ${columns} from quarantine order by resource, payload`)
const titles = async () =>
  (await rows('select title from incidents order by start_time')).map(({ title }) => title)

/** A service with five incidents and one folder. One incident and the folder are invalid. */
function spoilt(account_id = 1): FakeService {
  const service = fakeService()
  service.incidents = Array.from({ length: 5 }, (_, index) => incident(index * 8, { account_id }))
  service.incidents[2]!.created_at = 'yesterday'
  service.folders = [{ folder_id: 1, folder_name: 'all', rule_total: 'many' }]
  return service
}

const ID = (16).toString(16).padStart(24, '0')

describe('an invalid record', () => {
  test('is quarantined once, and only the first run that reads the record is partial', async () => {
    const service = spoilt()
    expect(await run(service, start)).toMatchObject({ status: 'partial', quarantined: 2, stillWaiting: 0 })
    const second = await run(service, start + DAY)
    expect(second).toMatchObject({ status: 'ok', quarantined: 0, stillWaiting: 2 })
    expect(await run(service, start + 2 * DAY)).toMatchObject({ status: 'ok', stillWaiting: 2 })
    const seen = { times_seen: 3, run_id: 3, first_seen_at: start, seen_at: start + 2 * DAY }
    expect(await waiting()).toEqual([
      { resource: 'folder_rule_status', path: 'rule_total', record_key: '1', ...seen },
      { resource: 'incidents', path: 'created_at', record_key: ID, ...seen },
    ])
  })

  test('counts once even if two of its quarantined rows became equal', async () => {
    const service = spoilt()
    await run(service, start)
    service.incidents[2]!.reporter_email = 'a@x.example'
    await run(service, start + DAY)
    await rows(`update quarantine set payload = 'same' where resource = 'incidents'`)
    const { quarantined, stillWaiting } = await run(service, start + 2 * DAY)
    expect({ quarantined, stillWaiting }).toEqual({ quarantined: 1, stillWaiting: 2 })
  })

  test('is still counted by later runs of its account that do not read the record', async () => {
    const service = spoilt()
    await run(service, start)
    service.incidents.splice(2, 1)
    service.folders = []
    expect(await run(service, start + DAY)).toMatchObject({ status: 'ok', quarantined: 0, stillWaiting: 2 })
    expect(await run(fakeService(), start + DAY, 2n)).toMatchObject({ stillWaiting: 0 })
  })

  test('counts as new if it changed and is still invalid', async () => {
    const service = spoilt()
    await run(service, start)
    service.incidents[2]!.title = 'changed'
    expect(await run(service, start + DAY)).toMatchObject({
      status: 'partial',
      quarantined: 1,
      stillWaiting: 2,
    })
    expect(await waiting('record_key, times_seen')).toEqual([
      { record_key: '1', times_seen: 2 },
      { record_key: ID, times_seen: 1 },
      { record_key: ID, times_seen: 1 },
    ])
  })

  test('leaves the quarantine, in all its versions, once a valid copy is read', async () => {
    const service = spoilt()
    await run(service, start)
    service.incidents[2]!.title = 'changed'
    await run(service, start + DAY)
    service.incidents[2] = incident(16, { title: 'good' })
    expect(await run(service, start + 2 * DAY)).toMatchObject({ status: 'ok', quarantined: 0 })
    expect(await waiting('resource')).toEqual([{ resource: 'folder_rule_status' }])
    expect(await titles()).toContain('good')
    service.folders = [{ folder_id: 1, folder_name: 'all', rule_total: 3 }]
    await run(service, start + 3 * DAY)
    expect(await waiting()).toEqual([])
  })

  test('does not affect the same record of another account', async () => {
    await run(spoilt(), start)
    expect(await run(spoilt(2), start, 2n)).toMatchObject({ status: 'partial', quarantined: 2 })
    const good = spoilt(2)
    good.incidents[2] = incident(16, { account_id: 2 })
    await run(good, start + DAY, 2n)
    expect(await waiting('account_id, resource')).toEqual([
      { account_id: 1, resource: 'folder_rule_status' },
      { account_id: 2, resource: 'folder_rule_status' },
      { account_id: 1, resource: 'incidents' },
    ])
  })

  test('is stored under the requested key if it contains no key itself', async () => {
    const service = fakeService()
    service.incidents = [incident(1, { channel_id: 7 })]
    service.channels.set('7', 'not a channel' as never)
    await run(service, start)
    expect(await waiting('resource, record_key, payload')).toEqual([
      { resource: 'channels', record_key: '7', payload: '"not a channel"' },
    ])
    service.addChannels([7], () => 0)
    await run(service, start + DAY)
    expect(await waiting()).toEqual([])
  })
})

describe('a replay of the quarantine', () => {
  test('loads records that have become valid, as of the time they were read', async () => {
    const service = spoilt()
    await run(service, start)
    await mend('created_at', '1700000000')
    expect(await replayQuarantine(warehouse(), resources)).toEqual({ loaded: 1, outdated: 0, waiting: 1 })
    expect(await titles()).toHaveLength(5)
    expect(await rows(`select _seen_at, _run_id from incidents where incident_id = '${ID}'`)).toEqual([
      { _seen_at: start, _run_id: 1 },
    ])
    expect(await rows(`select person_id from incident_responders where incident_id = '${ID}'`)).toEqual([
      { person_id: 5 },
    ])
    expect(await waiting('resource, path, times_seen')).toEqual([
      { resource: 'folder_rule_status', path: 'rule_total', times_seen: 1 },
    ])
    expect(await replayQuarantine(warehouse(), resources)).toEqual({ loaded: 0, outdated: 0, waiting: 1 })
  })

  test('stamps a snapshot row with the time of that snapshot', async () => {
    await run(spoilt(), start)
    await mend('rule_total', '3')
    await replayQuarantine(warehouse(), resources)
    expect(await rows('select snapshot_at, folder_id, rule_total from folder_rule_status')).toEqual([
      { snapshot_at: start, folder_id: 1, rule_total: 3 },
    ])
  })

  test('never overwrites a newer copy with an older copy', async () => {
    const service = spoilt()
    await run(service, start)
    service.incidents[2] = incident(16, { title: 'newer' })
    // Without its key, the quarantined row is not resolved when the sync reads a valid copy.
    await rows('update quarantine set record_key = null')
    await run(service, start + DAY)
    await mend('created_at', '1700000000')
    expect(await replayQuarantine(warehouse(), resources)).toEqual({ loaded: 0, outdated: 1, waiting: 1 })
    expect((await titles())[2]).toBe('newer')
    expect(await rows('select count(*)::int as n from incident_versions')).toEqual([{ n: 0 }])
  })

  test('does not restore a record that was later marked missing', async () => {
    const service = spoilt()
    const bad = service.incidents[2]!
    service.incidents[2] = incident(16)
    await run(service, start)
    service.incidents[2] = bad
    await run(service, start + DAY)
    service.incidents.splice(2, 1)
    await run(service, start + 2 * DAY)
    const gone = () => rows('select incident_id from incidents where vanished_at is not null')
    expect(await gone()).toEqual([{ incident_id: ID }])
    await mend('created_at', '1700000000')
    expect(await replayQuarantine(warehouse(), resources)).toEqual({ loaded: 0, outdated: 1, waiting: 1 })
    expect(await gone()).toEqual([{ incident_id: ID }])
  })

  test('applies privacy rules, and preserves every digit of a number', async () => {
    const service = spoilt()
    const big = 2n ** 60n + 1n
    Object.assign(service.incidents[2]!, { channel_id: big, mood: 'odd', reporter_email: 'a@x.example' })
    await run(service, start)
    await mend('created_at', '1700000000')
    const ruled = withPrivacy(resources, { drop: ['incidents.reporter_email'], hash: [], salt: '' })
    await replayQuarantine(warehouse(), ruled)
    expect(
      await rows(`select channel_id, reporter_email, _extra from incidents where incident_id = '${ID}'`),
    ).toEqual([{ channel_id: big, reporter_email: null, _extra: '{"mood":"odd"}' }])
    expect(await rows('select field from schema_drift')).toEqual([{ field: 'mood' }])
  })

  test('does not load a record that was truncated in the quarantine', async () => {
    const service = spoilt()
    service.incidents[2]!.description = 'x'.repeat(100_000)
    await run(service, start)
    await mend('created_at', '1700000000')
    await mend('rule_total', '3')
    expect(await replayQuarantine(warehouse(), resources)).toEqual({ loaded: 1, outdated: 0, waiting: 1 })
    service.incidents[2] = incident(16, { title: 'good' })
    await run(service, start + DAY)
    expect(await waiting('resource')).toEqual([{ resource: 'folder_rule_status' }])
  })

  test('does nothing if the quarantine is empty', async () => {
    expect(await replayQuarantine(warehouse(), resources)).toEqual({ loaded: 0, outdated: 0, waiting: 0 })
  })

  /** Makes a stored field valid, as if a newer Faultline accepted its value. */
  async function mend(field: string, value: string) {
    await rows(
      `update quarantine set payload = regexp_replace(payload, '"${field}":"[^"]*"', '"${field}":${value}')`,
    )
  }
})
