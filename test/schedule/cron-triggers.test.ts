import { describe, expect, test, vi } from 'vitest'
import {
  afterAGoodNight,
  at,
  DAY,
  job,
  MINUTE,
  nightly,
  ok,
  process,
  until,
  useFakeTimers,
} from './daemon.ts'

useFakeTimers()

describe.each([
  ['Europe/Berlin', '30 2 * * *', '2024-03-29T12:00Z', ['03-30T01:30', '03-31T01:00', '04-01T00:30']],
  ['Europe/Berlin', '30 2 * * *', '2024-10-25T12:00Z', ['10-26T00:30', '10-27T00:30', '10-28T01:30']],
  ['America/New_York', '30 2 * * *', '2024-03-08T12:00Z', ['03-09T07:30', '03-10T07:00', '03-11T06:30']],
  ['America/New_York', '30 1 * * *', '2024-11-01T12:00Z', ['11-02T05:30', '11-03T05:30', '11-04T06:30']],
  // The clock changes by half an hour. 02:00 to 02:29 are skipped, 01:30 to 01:59 occur twice.
  ['Australia/Lord_Howe', '30 2 * * *', '2024-10-04T12:00Z', ['10-04T16:00', '10-05T15:30', '10-06T15:30']],
  ['Australia/Lord_Howe', '15 2 * * *', '2024-10-04T12:00Z', ['10-04T15:45', '10-05T15:30', '10-06T15:15']],
  ['Australia/Lord_Howe', '30 2 * * *', '2024-04-05T12:00Z', ['04-05T15:30', '04-06T16:00', '04-07T16:00']],
  ['Australia/Lord_Howe', '45 1 * * *', '2024-04-05T12:00Z', ['04-05T14:45', '04-06T14:45', '04-07T15:15']],
])('a clock change in %s', (zone, cron, from, nights) => {
  test(`still results in one run of ${cron} each night, starting at ${from}`, async () => {
    const one = job('sync', cron, zone)
    const records = await afterAGoodNight(from, [one])
    const running = process([one], { records, lookMs: 5 * MINUTE })
    await until(Date.parse(from) + 3 * DAY)
    await running.stop()
    expect(running.of('sync').map((time) => time.slice(5))).toEqual(nights)
  })
})

test('each scheduled job runs at its time in its time zone, to the second', async () => {
  vi.setSystemTime(at('2024-05-01T12:00Z'))
  const jobs = [job('report:a', '15 30 2 * * *'), job('report:b', '0 9 * * *', 'Asia/Kathmandu')]
  const seconds: string[] = []
  const one = process(jobs, {
    // The scheduler does not check for missed jobs within this interval.
    lookMs: 20 * DAY,
    act: async ({ name }) => {
      seconds.push(`${name} ${new Date().toISOString().slice(5, 19)}`)
      return ok
    },
  })
  await until(at('2024-05-03T02:00Z'))
  await one.stop()
  expect(seconds.slice(2)).toEqual([
    'report:a 05-02T00:30:15',
    'report:b 05-02T03:15:00',
    'report:a 05-03T00:30:15',
  ])
})

test('a half-hourly sync runs in both hours if an hour occurs twice', async () => {
  vi.setSystemTime(at('2024-10-26T23:10Z'))
  const often = process([job('sync', '*/30 * * * *')])
  await until(at('2024-10-27T02:10Z'))
  await often.stop()
  expect(often.of('sync').map((time) => time.slice(11))).toEqual([
    '23:10',
    '23:30',
    '00:00',
    '00:30',
    '01:00',
    '01:30',
    '02:00',
  ])
})

test('a scheduled job runs if either the day of the month or the weekday matches', async () => {
  vi.setSystemTime(at('2024-05-01T12:00Z'))
  const one = process([job('report:a', '0 8 8 * MON', 'UTC')], { lookMs: 20 * DAY })
  await until(at('2024-05-14T12:00Z'))
  await one.stop()
  expect(one.of('report:a').slice(1)).toEqual(['2024-05-06T08:00', '2024-05-08T08:00', '2024-05-13T08:00'])
})

test('a scheduler that was too busy at the due time runs the job at the next check', async () => {
  const records = await afterAGoodNight('2024-05-01T12:00Z')
  const one = process([nightly], { records, lookMs: null })
  await until(at('2024-05-02T00:29:59Z'))
  vi.setSystemTime(at('2024-05-02T00:30:05Z'))
  await until(Date.now() + MINUTE)
  await one.stop()
  expect(one.runs).toHaveLength(1)
  expect(one.lines.filter((line) => /missed/.test(line))).toEqual([])
})

test('the scheduler saves its state, with the next runs, every minute', async () => {
  const records = await afterAGoodNight('2024-05-01T12:00:00Z')
  const one = process([nightly], { records, lookMs: null })
  await until(Date.now() + DAY)
  await one.stop()
  expect(one.saved.length).toBeGreaterThanOrEqual(DAY / MINUTE)
  expect(one.saved[0]?.jobs[0]?.nextRunAt).toBe(at('2024-05-02T00:30:00Z'))
})
