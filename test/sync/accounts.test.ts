import { describe, expect, test } from 'vitest'
import { DAY, epoch, type FakeService, fakeService, incident } from '../support/service.ts'
import { rowsOf } from '../support/warehouse.ts'
import { running } from './running.ts'

const { run: runAny, warehouse } = running()
const start = epoch + 60 * DAY

const run = (service: FakeService, accountId: bigint, now = start, signal = new AbortController().signal) =>
  runAny(service, now, { accountId, signal })

/** A service whose records have the same ids for every account. Only their texts and their account differ. */
function company(word: string, account_id: bigint): FakeService {
  const service = fakeService()
  const who = { account_id, status: 'enabled', created_at: 1, updated_at: 2 }
  service.incidents = Array.from({ length: 20 }, (_, index) =>
    incident(index * 24, {
      account_id,
      title: `${word} ${index}`,
      channel_id: 7,
      progress: index === 3 ? 'Triggered' : 'Closed',
      responders: [{ person_id: 5, person_name: word, assigned_at: epoch, acknowledged_at: 0 }],
    }),
  )
  service.channels.set('7', {
    channel_id: 7,
    channel_name: `${word} channel`,
    status: 'enabled',
    team_id: 8,
    created_at: 1,
    updated_at: 1,
  })
  service.teams = [{ team_id: 8, team_name: `${word} team`, person_ids: [5] }]
  service.members = [{ ...who, member_id: 5, member_name: `${word} person`, account_role_ids: [1] }]
  service.folders = [{ folder_id: 1, folder_name: `${word} folder`, rule_total: 2, triggered_rule_count: 1 }]
  return service
}

const of = (columns: string, table: string) =>
  rowsOf(warehouse(), `select account_id, ${columns} from ${table} group by all order by account_id`)

describe('two accounts with the same ids in one warehouse', () => {
  test('are stored separately, and a second run of both accounts changes nothing', async () => {
    const [a, b] = [company('one', 1n), company('two', 2n ** 60n)]
    expect(await run(a, 1n)).toMatchObject({ status: 'ok', inserted: 24 })
    expect(await run(b, 2n ** 60n)).toMatchObject({ status: 'ok', inserted: 24, replaced: 0, vanished: 0 })
    const both = (first: object, second: object) => [
      { account_id: 1, ...first },
      { account_id: 2n ** 60n, ...second },
    ]
    const stored = async () => ({
      incidents: await of("split_part(title, ' ', 1) as word, count(*)::int as n", 'incidents'),
      people: await of('person_name as word, count(*)::int as n', 'incident_responders'),
      channels: await of('channel_name as word', 'channels'),
      teams: await of('team_name as word', 'teams'),
      team_members: await of('count(*)::int as n', 'team_members'),
      members: await of('member_name as word', 'members'),
      roles: await of('role_id as n', 'member_roles'),
      folders: await of('folder_name as word', 'folder_rule_status'),
      checks: await of('count(*)::int as n', 'sync_checks'),
      times: await of(
        "team_name as word, split_part(title, ' ', 1) as title, count(*)::int as n",
        'incident_times',
      ),
      pages: await of('member_name as word, sum(incidents)::int as n', 'pages_within()'),
    })
    const first = await stored()
    expect(first).toEqual({
      incidents: both({ word: 'one', n: 20 }, { word: 'two', n: 20 }),
      people: both({ word: 'one', n: 20 }, { word: 'two', n: 20 }),
      channels: both({ word: 'one channel' }, { word: 'two channel' }),
      teams: both({ word: 'one team' }, { word: 'two team' }),
      team_members: both({ n: 1 }, { n: 1 }),
      members: both({ word: 'one person' }, { word: 'two person' }),
      roles: both({ n: 1 }, { n: 1 }),
      folders: both({ word: 'one folder' }, { word: 'two folder' }),
      checks: both({ n: 2 }, { n: 2 }),
      times: both({ word: 'one team', title: 'one', n: 20 }, { word: 'two team', title: 'two', n: 20 }),
      pages: both({ word: 'one person', n: 20 }, { word: 'two person', n: 20 }),
    })
    const nothing = { status: 'ok', inserted: 0, replaced: 0, vanished: 0 }
    expect(await run(b, 2n ** 60n)).toMatchObject(nothing)
    expect(await run(a, 1n)).toMatchObject(nothing)
    expect(await stored()).toEqual(first)
  })

  test('do not affect each other’s rows if records change or are missing', async () => {
    const [a, b] = [company('one', 1n), company('two', 2n)]
    await run(a, 1n)
    await run(b, 2n)
    b.incidents = b.incidents
      .slice(0, -1)
      .map((one, index) => (index === 15 ? { ...one, title: 'changed', updated_at: epoch + 20 * DAY } : one))
    // Both incidents are within the lookback, so the next run reads them again.
    const soon = epoch + 21 * DAY
    expect(await run(b, 2n, soon)).toMatchObject({ replaced: 1, vanished: 1 })
    expect(await of('count(*) filter (vanished_at is not null)::int as gone', 'incidents')).toEqual([
      { account_id: 1, gone: 0 },
      { account_id: 2, gone: 1 },
    ])
    expect(await of('title', 'incident_versions')).toEqual([{ account_id: 2, title: 'two 15' }])
    expect(await of('count(*)::int as n', 'incident_responders')).toEqual([
      { account_id: 1, n: 20 },
      { account_id: 2, n: 20 },
    ])
    expect(await of('as_of_at', 'as_of')).toEqual([
      { account_id: 1, as_of_at: start },
      { account_id: 2, as_of_at: soon },
    ])
  })

  test('continue an interrupted run only with a run of the same account', async () => {
    const stop = new AbortController()
    const a = company('one', 1n)
    a.before = () => stop.abort(new Error('killed'))
    await expect(run(a, 1n, start, stop.signal)).rejects.toThrow('killed')
    a.before = () => undefined
    expect(await run(company('two', 2n), 2n, start + 60)).toMatchObject({ status: 'ok', asOf: start + 60 })
    expect(await run(a, 1n, start + 120)).toMatchObject({ status: 'ok', asOf: start })
    expect(await of('status', 'sync_runs')).toEqual([
      { account_id: 1, status: 'failed' },
      { account_id: 1, status: 'ok' },
      { account_id: 2, status: 'ok' },
    ])
  })

  test('store a quarantined record under the account that the run read', async () => {
    const a = company('one', 3n)
    a.incidents.push(incident(30, { start_time: 'soon' }))
    a.before = (name) =>
      name === 'incident/list' ? { items: a.incidents, total: 21, has_next_page: false } : undefined
    await run(a, 3n)
    const [row] = await of('resource', 'quarantine')
    expect(row).toEqual({ account_id: 3, resource: 'incidents' })
  })
})
