import { describe, expect, test } from 'vitest'
import { atOnce, standingTime } from '../support/clock.ts'
import { DAY, epoch, fakeService, incident, member } from '../support/service.ts'
import { running } from './running.ts'

const { rows, run } = running()
const effects = standingTime(5_000, atOnce)

const team = (id: number, team_name: string | null = `Team ${id}`) => ({
  team_id: id,
  team_name,
  person_ids: [],
})
const vanished = async (table: string, key: string) =>
  (await rows(`select ${key}::varchar as id from ${table} where vanished_at is not null`)).map(({ id }) => id)
const quarantined = async () =>
  (await rows('select record_key from quarantine order by 1')).map(({ record_key }) => record_key)

describe('a rejected record', () => {
  test('in the list of members does not count as missing, but a member who left does', async () => {
    const service = fakeService()
    service.members = [member(1), member(2), member(3)]
    await run(service, epoch + DAY, { effects })
    service.members = [member(1), member(2, { member_name: null })]
    await run(service, epoch + 2 * DAY, { effects })
    expect([await vanished('members', 'member_id'), await quarantined()]).toEqual([['3'], ['2']])
  })

  test('without a key might be any member, so no member is marked missing', async () => {
    const service = fakeService()
    service.members = [member(1), member(2), member(3)]
    await run(service, epoch + DAY, { effects })
    service.members = [member(1), member(2, { member_id: null })]
    await run(service, epoch + 2 * DAY, { effects })
    expect(await vanished('members', 'member_id')).toEqual([])
  })

  test('in a window does not count as missing, but a deleted incident does', async () => {
    const service = fakeService()
    const ids = [0xa1, 0xa2, 0xa3].map((id) => incident(id).incident_id as string)
    service.incidents = [0xa1, 0xa2, 0xa3].map((id, hour) =>
      incident(id, { start_time: epoch + hour * 3_600 }),
    )
    await run(service, epoch + DAY, { effects })
    const [kept, bad] = service.incidents
    // Ids of one record may differ in their case.
    service.incidents = [kept!, { ...bad, incident_id: ids[1]!.toUpperCase(), title: null }]
    await run(service, epoch + 2 * DAY, { effects })
    expect(await vanished('incidents', 'incident_id')).toEqual([ids[2]])
  })

  test('in a batch of ids does not count as missing, but a deleted team does', async () => {
    const service = fakeService()
    service.incidents = [1, 2, 3].map((id) => incident(id, { channel_id: id }))
    service.addChannels([1, 2, 3])
    service.teams = [team(1), team(2), team(3)]
    await run(service, epoch + DAY, { effects })
    service.teams = [team(1), team(2, null)]
    await run(service, epoch + 9 * DAY, { effects })
    expect([await vanished('teams', 'team_id'), await quarantined()]).toEqual([['3'], ['2']])
    const checked = await rows(
      `select id, is_missing from sync_checks where resource = 'teams' and checked_at > make_timestamptz(${(epoch + 8 * DAY) * 1_000_000}) order by id`,
    )
    expect(checked).toEqual([
      { id: '1', is_missing: false },
      { id: '3', is_missing: true },
    ])
  })
})
