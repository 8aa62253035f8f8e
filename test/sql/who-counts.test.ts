import type { DuckDBConnection } from '@duckdb/node-api'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { applyViews } from '../../src/warehouse/schema/views.ts'
import { createTables, empty, insert, rowsOf } from '../support/tables.ts'

let connection: DuckDBConnection
beforeAll(async () => {
  connection = await createTables()
  await applyViews(connection)
})
beforeEach(() => empty(connection))

const HOUR = 3600
const DAY = 24 * HOUR
const start = Date.UTC(2024, 0, 1) / 1000
const asOf = start + 30 * DAY
const all = `incident_severity = '(all)' and team_name = '(all)'`
const one = async (query: string) => (await rowsOf(connection, query))[0]!
const measure = (name: string) => one(`from time_measures() where ${all} and measure = '${name}'`)

/** Incidents as the service sends them, closed by hand where they have a close; data until `asOf`. */
async function happen(...incidents: object[]) {
  await insert(connection, 'sync_runs', [{ run_id: 1, finished_at: asOf, as_of_at: asOf }])
  await insert(
    connection,
    'incidents',
    incidents.map((incident, place) => ({
      incident_id: `i${place}`,
      start_time: start,
      progress: 'close_time' in incident ? 'Closed' : 'Triggered',
      incident_severity: 'Critical',
      closer_id: 'close_time' in incident ? 1 : 0,
      creator_id: 0,
      alert_cnt: 1,
      _seen_at: asOf,
      ...incident,
    })),
  )
}

/** Former contents of the first incident, each replaced by the next. */
async function earlier(...contents: object[]) {
  await insert(
    connection,
    'incident_versions',
    contents.map((content, place) => ({
      incident_id: 'i0',
      start_time: start,
      progress: 'Triggered',
      incident_severity: 'Critical',
      _seen_at: start + (place + 1) * DAY,
      _replaced_at: start + (place + 2) * DAY,
      ...content,
    })),
  )
}

describe('merged into another', () => {
  test.each([
    ['by the system', 0],
    ['by a person', 7],
  ])('%s, an incident is counted in data_quality and nowhere else', async (_, closer_id) => {
    await happen(
      { ack_time: start + 60, close_time: start + 600 },
      { ack_time: start + 1, close_time: start + 2, alert_cnt: 0, closer_id },
    )
    expect(
      await one(`select sum(incidents) as n from incident_counts() where incident_severity = '(all)'`),
    ).toEqual({ n: 1 })
    for (const name of ['time_to_ack', 'time_to_close_handled', 'time_to_close'])
      expect(await measure(name)).toMatchObject({ incidents: 1, n: 1 })
    expect(await one('from survival_summary()')).toMatchObject({ n: 1, median_s: 600 })
    expect(
      await one(`select met + missed as n from target_attainment() where ${all} and measure = 'resolve'`),
    ).toEqual({ n: 1 })
    expect(await one(`select affected, total from data_quality where check_name = 'merged_away'`)).toEqual({
      affected: 1,
      total: 2,
    })
  })

  test('what a person made without an alert, or what is still open, was not merged', async () => {
    await happen({ close_time: start + 60, creator_id: 7, alert_cnt: 0 }, { alert_cnt: 0 })
    expect(await one('select count(*) as n from incident_times')).toEqual({ n: 2 })
  })
})

describe('muted', () => {
  const muted = { ack_time: start + 10, close_time: start + 20, ever_muted: true }

  test('counts in the volume, in no headline time, and has a line of its own', async () => {
    await happen({ ack_time: start + 60, close_time: start + 600 }, muted, { ever_muted: true })
    expect(
      await one(`select sum(incidents) as n from incident_counts() where incident_severity = '(all)'`),
    ).toEqual({ n: 3 })
    expect(await measure('time_to_ack')).toMatchObject({ incidents: 1, median_s: 60 })
    expect(await measure('time_to_close_handled')).toMatchObject({ incidents: 1, median_s: 600 })
    expect(await measure('time_to_close_muted')).toMatchObject({ incidents: 2, n: 1, median_s: 20 })
    expect(
      await one(`select n from definition_sensitivity() where is_chosen and measure = 'time_to_resolve'`),
    ).toEqual({ n: 1 })
  })

  test('is no part of the survival curve, and has one of its own', async () => {
    await happen({ close_time: start + 600 }, muted, { ...muted, close_time: start + 30 })
    expect(await one('from survival_summary()')).toMatchObject({ n: 1, median_s: 600 })
    expect(await one('from survival_summary(of_muted := true)')).toMatchObject({ n: 2, median_s: 20 })
  })
})

describe('reopened', () => {
  // Closed after 1 h, open again after 25 h, closed for good after 26 h.
  const last = { ack_time: start + 60, close_time: start + 26 * HOUR }

  test('counts once: until the last close; beside it the first, and without the time it was closed', async () => {
    await happen(last, { close_time: start + 2 * HOUR })
    await earlier(
      { progress: 'Closed', close_time: start + HOUR, updated_at: start + HOUR },
      { progress: 'Processing', updated_at: start + 25 * HOUR },
    )
    expect(await measure('time_to_close_handled')).toMatchObject({ n: 2, max_s: 26 * HOUR })
    expect(await measure('time_to_first_close')).toMatchObject({ n: 2, max_s: 2 * HOUR, mean_s: 1.5 * HOUR })
    expect(await measure('time_open')).toMatchObject({ n: 2, mean_s: 2 * HOUR, max_s: 2 * HOUR })
    expect(await one(`select reopened from recurrence() where ${all}`)).toEqual({ reopened: 1 })
  })

  test('is not what stayed closed with another close time: that is a correction', async () => {
    await happen({ ...last, updated_at: start + 30 * HOUR })
    await earlier(
      { progress: 'Closed', close_time: start + 2 * HOUR, updated_at: start + 2 * HOUR },
      { progress: 'Closed', close_time: start + HOUR, updated_at: start + 28 * HOUR },
    )
    expect(await one('from incident_changes')).toMatchObject({
      reopen_count: 0,
      first_closed_at: null,
      closed_s: 0,
    })
    expect(await measure('time_to_first_close')).toMatchObject({ n: 1, max_s: 26 * HOUR })
    expect(await measure('time_open')).toMatchObject({ n: 1, max_s: 26 * HOUR })
    expect(await one(`select reopened from recurrence() where ${all}`)).toEqual({ reopened: 0 })
  })

  test('after its close was corrected, takes the corrected one for the first', async () => {
    await happen(last)
    await earlier(
      { progress: 'Closed', close_time: start + HOUR, updated_at: start + HOUR },
      { progress: 'Closed', close_time: start + 2 * HOUR, updated_at: start + 3 * HOUR },
      { progress: 'Processing', updated_at: start + 25 * HOUR },
    )
    expect(await one('from incident_changes')).toMatchObject({
      reopen_count: 1,
      first_closed_at: start + 2 * HOUR,
    })
  })

  test('the same close read twice is none', async () => {
    await happen(last)
    await earlier({ progress: 'Closed', close_time: last.close_time, updated_at: last.close_time })
    expect(await one('select reopen_count from incident_changes')).toEqual({ reopen_count: 0 })
  })
})

test('a duration of 0 s counts, and stands in a bucket of its own', async () => {
  await happen({ ack_time: start, close_time: start + 1 }, { ack_time: start + 3 })
  expect(await measure('time_to_ack')).toMatchObject({ n: 2, mean_s: 1.5 })
  expect(
    await rowsOf(
      connection,
      `select b.low, b.high from (select duration_bucket(time_to_ack_s) as b from incident_times) order by 1`,
    ),
  ).toEqual([
    { low: 0, high: 0 },
    { low: expect.closeTo(2 * Math.SQRT2, 9), high: expect.closeTo(4, 9) },
  ])
})

test('closed before it was acknowledged, both times count, and it is flagged', async () => {
  await happen(
    { ack_time: start + 100, close_time: start + 50 },
    { ack_time: start + 1, close_time: start + 50 },
  )
  expect(
    await rowsOf(connection, 'select is_closed_before_ack as flag from incident_times order by incident_id'),
  ).toEqual([{ flag: true }, { flag: false }])
  expect(await measure('time_to_ack')).toMatchObject({ n: 2, max_s: 100 })
  expect(await measure('time_to_close_handled')).toMatchObject({ n: 2, max_s: 50 })
  expect(await one(`select affected from data_quality where check_name = 'closed_before_ack'`)).toEqual({
    affected: 1,
  })
})

// Critical: acknowledged within 300 s, resolved within 4 h. Warning: 900 s, 24 h. Raised after a day.
describe('a target goes by the severity that was valid at the moment', () => {
  const raised = start + DAY
  const outcome = () =>
    one(`select ack_severity, ack_raised_s, ack_outcome, resolve_severity, resolve_raised_s, resolve_outcome
      from incident_targets() where incident_id = 'i0'`)
  const attained = (severity: string) =>
    rowsOf(
      connection,
      `select measure, met, missed, pending from target_attainment()
       where incident_severity = '${severity}' and team_name = '(all)' order by measure`,
    )
  const acknowledged = {
    ack_time: raised + 200,
    close_time: raised + 3 * HOUR,
    updated_at: raised + 3 * HOUR,
  }

  test('and counts from its raise when two reads saw it', async () => {
    await happen(acknowledged)
    await earlier(
      { incident_severity: 'Info', updated_at: start },
      { incident_severity: 'Critical', updated_at: raised },
    )
    expect(await outcome()).toEqual({
      ack_raised_s: DAY,
      resolve_raised_s: DAY,
      ack_severity: 'Critical',
      ack_outcome: 'met',
      resolve_severity: 'Critical',
      resolve_outcome: 'met',
    })
  })

  test('from the start where nothing was seen', async () => {
    await happen(acknowledged)
    expect(await outcome()).toMatchObject({
      ack_raised_s: null,
      ack_outcome: 'missed',
      resolve_outcome: 'missed',
    })
  })

  test('and from the start where it fell: who was late as Critical is not in time as Warning', async () => {
    await happen({ ...acknowledged, incident_severity: 'Warning', ack_time: start + 600 })
    await earlier({ incident_severity: 'Critical', updated_at: raised })
    expect(await outcome()).toMatchObject({
      ack_raised_s: null,
      ack_severity: 'Critical',
      ack_outcome: 'missed',
    })
    expect(await attained('Critical')).toContainEqual({
      measure: 'acknowledge',
      met: 0,
      missed: 1,
      pending: 0,
    })
  })

  test('open ones are pending until then', async () => {
    await happen({ updated_at: asOf - 200 })
    await earlier({ incident_severity: 'Warning', updated_at: start })
    expect(await outcome()).toMatchObject({
      ack_raised_s: asOf - 200 - start,
      ack_outcome: 'pending',
      resolve_outcome: 'pending',
    })
  })

  test('a closed Warning, acknowledged after 47 min, stays missed when a review makes it Critical', async () => {
    const reviewed = start + 16 * DAY
    await happen({ ack_time: start + 47 * 60, close_time: start + 2 * HOUR, updated_at: reviewed })
    await earlier({
      incident_severity: 'Warning',
      ack_time: start + 47 * 60,
      progress: 'Closed',
      close_time: start + 2 * HOUR,
      updated_at: start + 2 * HOUR,
    })
    expect(await outcome()).toEqual({
      ack_severity: 'Warning',
      ack_raised_s: null,
      ack_outcome: 'missed',
      resolve_severity: 'Warning',
      resolve_raised_s: null,
      resolve_outcome: 'met',
    })
    expect(await attained('Critical')).toEqual([])
    expect(await attained('Warning')).toEqual([
      { measure: 'acknowledge', met: 0, missed: 1, pending: 0 },
      { measure: 'resolve', met: 1, missed: 0, pending: 0 },
    ])
  })

  test('raised between acknowledgement and close, each goes by its own', async () => {
    await happen({ ack_time: start + 600, close_time: raised + 5 * HOUR, updated_at: raised + 5 * HOUR })
    await earlier(
      { incident_severity: 'Warning', updated_at: start + 600 },
      { incident_severity: 'Critical', updated_at: raised },
    )
    expect(await outcome()).toEqual({
      ack_severity: 'Warning',
      ack_raised_s: null,
      ack_outcome: 'met',
      resolve_severity: 'Critical',
      resolve_raised_s: DAY,
      resolve_outcome: 'missed',
    })
  })

  test('a raise that the close first shows was not before it', async () => {
    await happen({ ack_time: start + 60, close_time: start + 5 * HOUR, updated_at: start + 5 * HOUR })
    await earlier({ incident_severity: 'Warning', ack_time: start + 60, updated_at: start + 60 })
    expect(await outcome()).toMatchObject({
      resolve_severity: 'Warning',
      resolve_raised_s: null,
      resolve_outcome: 'met',
    })
  })

  test('raised twice, and lowered in between, the last raise before the moment counts', async () => {
    await happen({ ack_time: raised + 2 * HOUR, updated_at: raised + 9 * HOUR })
    await earlier(
      { incident_severity: 'Info', updated_at: start },
      { incident_severity: 'Critical', updated_at: start + HOUR },
      { incident_severity: 'Info', updated_at: start + 2 * HOUR },
      { incident_severity: 'Warning', updated_at: raised },
    )
    expect(await outcome()).toMatchObject({
      ack_severity: 'Warning',
      ack_raised_s: DAY,
      ack_outcome: 'missed',
      resolve_severity: 'Critical',
      resolve_raised_s: DAY + 9 * HOUR,
    })
  })
})

describe('the headline time to resolve', () => {
  const closed = (count: number) =>
    Array.from({ length: count }, (_, place) => ({ close_time: start + 60 * (place + 1) }))
  const headline = () => one('from resolve_time()')

  test('is of the closed ones while less than a tenth is open', async () => {
    await happen(...closed(10), {})
    expect(await headline()).toMatchObject({
      closed: 10,
      open: 1,
      is_survival: false,
      median_s: 330,
      closed_median_s: 330,
    })
  })

  test('is of survival from a tenth on, and the closed ones stand beside it', async () => {
    await happen(...closed(9), {})
    expect(await headline()).toMatchObject({
      open_share: 0.1,
      is_survival: true,
      median_s: 300,
      closed_median_s: 300,
    })
    // Nine of 13 are over: half of all after the seventh, not the fifth.
    await happen(...closed(9), {}, {}, {}, {})
    expect(await headline()).toMatchObject({ is_survival: true, median_s: 420, closed_median_s: 300 })
    expect((await headline()).rule).toMatch(/^by survival/)
  })

  test('is not reached when more than half is open; muted, recovered and merged ones are no part of it', async () => {
    const others = [
      { close_time: start + 1, ever_muted: true },
      { ever_muted: true },
      { close_time: start + 1, end_time: start, closer_id: 0 },
      { close_time: start + 1, alert_cnt: 0 },
    ]
    await happen(...closed(2), ...others, {}, {}, {})
    expect(await headline()).toMatchObject({ closed: 2, open: 3, median_s: null, closed_median_s: 90 })
    expect((await headline()).rule).toMatch(/not reached/)
  })
})
