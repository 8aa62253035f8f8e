import { describe, expect, test } from 'vitest'
import { seeded } from '../support/random.ts'
import { defined } from './defined.ts'
import { DAY, EVENT, fillEvents } from './event-company.ts'
import { told } from './event-worlds.ts'
import { type Beside, eventCounts, eventTimes } from './reference-events.ts'

const { one, rows, connection } = defined()

function company(
  seed: number,
  { teams = 4, perWeek = 6, before = 9, since = 5, times = 0.6 } = {},
): Beside[] {
  const next = seeded(seed)
  return Array.from({ length: teams }, (_, team) =>
    Array.from({ length: before + since }, (_, place) =>
      Array.from({ length: 2 + Math.floor(next() * perWeek) }, (): Beside => {
        const week = place - before
        const isTouched = team === 0
        const seconds = Math.round(
          60 * (1 + team) * Math.exp(3 * next()) * (isTouched && week >= 0 ? times : 1),
        )
        return { team: `T${team}`, isTouched, week, seconds, isOpen: next() < 0.06 }
      }),
    ).flat(),
  ).flat()
}

const near = (found: Record<string, unknown>, wanted: Record<string, unknown>) => {
  for (const [name, value] of Object.entries(wanted)) {
    if (typeof value !== 'number') expect(found[name], name).toEqual(value)
    // Allows a larger difference, because SQL computes the normal tail with another series.
    else if (name.endsWith('_p')) expect(Math.abs(Number(found[name]) - value), name).toBeLessThan(1e-5)
    else
      expect(Math.abs(Number(found[name]) - value), name).toBeLessThan(1e-3 * Math.max(0.1, Math.abs(value)))
  }
}

describe('the change since an event matches an independent computation', () => {
  test.each([1, 2, 3])('for durations, with and without unaffected teams, seed %d', async (seed) => {
    for (const all of [company(seed), company(seed, { teams: 1 })]) {
      const values = all.map(
        ({ team, isTouched, week, seconds, isOpen }) =>
          `('${team}', ${isTouched}, ${week}, ${seconds}::double, ${isOpen})`,
      )
      const found = await one(`with drawn as (
        select 'x' as series, *, 1 as n
        from (values ${values.join()}) as t (team_name, is_touched, week, seconds, is_open)
      ) from event_times('drawn')`)
      near(found, eventTimes(all))
    }
  })

  test.each([1, 2, 3])('for counts, compared with unaffected teams, seed %d', async (seed) => {
    const next = seeded(seed)
    const weeks = Array.from(
      { length: 20 },
      (_, k) => [k - 14, 5 + Math.floor(20 * next()), 30 + Math.floor(60 * next())] as const,
    )
    const values = weeks.flatMap(([week, a, b]) => [`(${week}, true, ${a})`, `(${week}, false, ${b})`])
    const found = await one(`with drawn as (
      select 'x' as series, * from (values ${values.join()}) as t (week, is_touched, n)
    ) from event_counts('drawn')`)
    near(found, eventCounts(weeks))
  })
})

const fill = async (world: Parameters<typeof fillEvents>[1] = {}) => {
  await fillEvents(connection(), world)
  await connection().run(`delete from config_events`)
  await connection().run(`insert into config_events values
    ('rota', date '2026-03-02', 'UTC', ['T1']), ('all', date '2026-03-02', 'UTC', null),
    ('later', date '2026-03-30', 'UTC', ['T2']), ('nobody', date '2026-03-02', 'UTC', ['T9'])`)
}
const codes = async (event: string) =>
  Object.fromEntries((await rows(`from event_changes('${event}')`)).map((row) => [row.measure, row.code]))

/**
 * The incidents of a query in the 17 weeks before the event and the 8 weeks since, without T2, which another event
 * affects. Their follow-up lasts equally long after the end of each group of 8 weeks.
 */
const around = async (query: string) =>
  (
    await rows(`select team_name, start_time, is_open, epoch(closed_at) as closed, seconds from (${query})`)
  ).flatMap((row): Beside[] => {
    const [team, start] = [String(row.team_name), Number(row.start_time)]
    const week = Math.floor((start - EVENT) / (7 * DAY))
    if (week < -17 || week >= 8 || team === 'T2') return []
    const watched = EVENT + 60 * DAY + Math.min(0, Math.floor(week / 8)) * 8 * 7 * DAY - start
    const took = row.seconds as number | null
    const isOpen = took === null || took > watched
    const wasOpen = row.is_open === true || Number(row.closed) - start > watched
    if (isOpen && !wasOpen) return []
    return [{ team, isTouched: team === 'T1', week, seconds: isOpen ? watched : took, isOpen }]
  })

describe('event_changes', () => {
  test('is certain about a change only if unaffected teams exist for comparison', async () => {
    await fill()
    const [ack] = await rows(`from event_changes('rota')`)
    expect(ack).toMatchObject({
      code: 'sure',
      direction: -1,
      control_teams: 2,
      beside: ['all'],
      has_control: true,
    })
    expect(ack).toMatchObject({ length: 8, weeks_known: 17 })
    expect(Number(ack!.ratio)).toBeCloseTo(0.3, 1)
    expect(await codes('rota')).toMatchObject({
      time_to_resolve: 'sure',
      incidents_a_week: expect.stringMatching(/small|unclear/),
    })
    const [alone] = await rows(`from event_changes('all')`)
    expect(alone).toMatchObject({
      has_control: false,
      control_teams: 0,
      beside: ['nobody', 'rota', 'later'],
    })
    expect(Object.values(await codes('all'))).not.toContain('sure')
    expect(await codes('nobody')).toMatchObject({ time_to_ack: 'none', incidents_a_week: 'none' })
  })

  test('returns the earliest date of a verdict if the event is too recent', async () => {
    await fill({ asOf: EVENT + 27 * DAY })
    const [ack] = await rows(`from event_changes('rota')`)
    expect(ack).toMatchObject({ code: 'early', length: 3 })
    expect(ack!.tellable_from).toBe(EVENT + 28 * DAY)
    await fill({ from: EVENT - 16 * DAY })
    expect(await codes('rota')).toMatchObject({ time_to_ack: 'unread', incidents_a_week: 'unread' })
  })

  test('uses the same follow-up for open incidents before and after the event', async () => {
    await fill({ sooner: 1 })
    // Incidents of the last week before the event, and of the last week of the data, take two weeks to close. They are
    // therefore still open at the end of their week.
    await connection().run(`update incidents set close_time = start_time + interval 14 day
      where start_time >= to_timestamp(${EVENT + 49 * DAY}) or
        start_time >= to_timestamp(${EVENT - 7 * DAY}) and start_time < to_timestamp(${EVENT})`)
    await connection().run(
      `update incidents set progress = 'Processing' where close_time > to_timestamp(${EVENT + 60 * DAY})`,
    )
    expect(await codes('rota')).toMatchObject({ time_to_resolve: expect.stringMatching(/small|unclear/) })
    const [, resolve] = await rows(`from event_changes('rota')`)
    expect(Math.abs(Number(resolve!.n) - Number(resolve!.n_before))).toBeLessThan(4)
  })
})

test.each(['exclude', 'close_counts', 'first_action'])(
  'event_changes uses the acknowledgement that the policy %s defines',
  async (policy) => {
    await fill({ sooner: 0.7 })
    const run = (sql: string) => connection().run(sql)
    await run(`update incidents set ack_time = null where hash(incident_id) % 5 = 0`)
    await run(`update incidents set closer_id = 0 where hash(incident_id) % 7 = 0`)
    await run(
      `update incidents set progress = 'Processing', close_time = null where hash(incident_id) % 11 = 0`,
    )
    await run(`insert into config_automation values ('member', '8')`)
    await run(`insert into members (account_id, member_id, member_name) values (1, 8, 'Robot')`)
    await run(`insert into incident_responders (account_id, incident_id, ordinal, person_id, acknowledged_at)
      select 1, incident_id, p, 8 - p, ack_time + to_seconds(120 * p) from incidents, range(2) as t (p)
      where incident_id::bigint % 2 = 0`)
    await run(`delete from config_policies`)
    await run(`insert into config_policies values ('ack', '${policy}')`)
    const [found] = await rows(`from event_changes('rota')`)
    const beside = await around(`select * from incident_times
      left join policy_times() as told using (account_id, incident_id, team_name)
      where told.measure = 'time_to_ack' and told.policy = '${policy}'`)
    const { n, n_before, value, value_before, ratio } = eventTimes(beside)
    near(found!, { n, n_before, value, value_before, ratio })
    // A power of 80 % at the 5 % level requires 2.8 standard errors. The interval extends 1.96 of them to either side.
    const ends = Number(found!.ratio_high) / Number(found!.ratio_low)
    expect(found!.could_show).toBeCloseTo(ends ** (1.4 / 1.959964) - 1, 4)
    for (const table of ['config_automation', 'config_policies', 'members', 'incident_responders'])
      await run(`delete from ${table}`)
  },
)

const world = { weeks: 8, before: 20, perWeek: 30, others: 7, draws: 40 } as const

test('event_changes reports halved incidents of one team, but not a season that affects all teams', async () => {
  const season = await told(connection(), { of: 'counts', ...world, season: 0.7 })
  expect(season.colored).toBeLessThan(0.1)
  const halved = await told(connection(), { of: 'counts', ...world, times: 0.5 })
  expect(halved.colored).toBeGreaterThan(0.7)
})

test('event_changes colors no change without unaffected teams, but reports an earlier trend', async () => {
  const trend = await told(connection(), { of: 'times', ...world, others: 0, trend: -0.04 })
  expect(trend.colored).toBe(0)
  expect(trend.trend).toBeGreaterThan(0.15)
  expect((await told(connection(), { of: 'times', ...world, others: 0, times: 0.5 })).colored).toBe(0)
})
