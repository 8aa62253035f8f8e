import { describe, expect, test } from 'vitest'
import { scheduleSchema } from '../../src/config/schedule.ts'
import { ConfigError } from '../../src/errors.ts'
import { planJobs, type ScheduledReport, type ScheduleSettings } from '../../src/schedule/jobs.ts'

const reports = [
  { name: 'weekly', schedule: '0 8 * * MON', timezone: null },
  { name: 'tokyo', schedule: '0 8 * * *', timezone: 'Asia/Tokyo' },
  { name: 'by-hand', schedule: null, timezone: null },
]

function plan(
  schedule: object,
  world: {
    accounts?: ScheduleSettings['accounts']
    reports?: readonly ScheduledReport[]
    timezone?: string
  } = {
    timezone: 'Europe/Berlin',
  },
) {
  const { accounts = [{}], timezone } = world
  const settings = { schedule: scheduleSchema.parse(schedule), accounts, timezone }
  return planJobs(settings, world.reports ?? reports).map(({ name, subject, cron }) => [
    name,
    subject,
    cron.text,
    cron.timezone,
  ])
}

test('the default schedule has a nightly sync, and reports in their own or the configured time zone', () => {
  expect(plan({})).toEqual([
    ['sync', undefined, '30 2 * * *', 'Europe/Berlin'],
    ['report:weekly', 'weekly', '0 8 * * MON', 'Europe/Berlin'],
    ['report:tokyo', 'tokyo', '0 8 * * *', 'Asia/Tokyo'],
  ])
  expect(plan({ sync: '@hourly', timezone: 'UTC' })[0]).toEqual(['sync', undefined, '@hourly', 'UTC'])
  expect(plan({}, {})[1]?.[3]).toBe('UTC')
})

test('the configuration overrides the schedule of a report', () => {
  const names = plan({ reports: { weekly: false, 'by-hand': '0 9 1 * *' } }).map(([name, , text]) => [
    name,
    text,
  ])
  expect(names).toEqual([
    ['sync', '30 2 * * *'],
    ['report:tokyo', '0 8 * * *'],
    ['report:by-hand', '0 9 1 * *'],
  ])
})

test('accounts with their own schedule are synced separately, and all other accounts together', () => {
  const syncs = (accounts: { name: string; schedule?: string }[]) =>
    plan({}, { accounts, reports: [] }).map(([name, , text]) => [name, text])
  expect(syncs([{ name: 'emea' }, { name: 'apac' }])).toEqual([['sync', '30 2 * * *']])
  expect(syncs([{ name: 'emea' }, { name: 'apac', schedule: '0 20 * * *' }])).toEqual([
    ['sync', '30 2 * * *'],
    ['sync:apac', '0 20 * * *'],
  ])
  expect(syncs([{ name: 'apac', schedule: '0 20 * * *' }])).toEqual([['sync:apac', '0 20 * * *']])
})

describe('an invalid schedule', () => {
  test('of an unknown report is an error that names the report', () => {
    const settings = { reports: { weekley: '0 8 * * *' } }
    expect(() => plan(settings)).toThrow(ConfigError)
    expect(() => plan(settings)).toThrow(/unknown report "weekley"/)
  })

  test('is rejected by the configuration schema if the cron expression is invalid', () => {
    const { error } = scheduleSchema.safeParse({ reports: { weekly: 'mondays' } })
    expect(JSON.stringify(error?.issues)).toMatch(/cron expression/)
    // An expression with five fields that never matches is rejected too.
    const { error: late } = scheduleSchema.safeParse({ sync: '30 25 * * *' })
    expect(JSON.stringify(late?.issues)).toMatch(/25.*hour/)
  })

  test('in a report file is an error that names the report', () => {
    const broken = [{ name: 'mine', schedule: 'every day', timezone: null }]
    expect(() => plan({}, { reports: broken })).toThrow(
      /^schedule of the report mine: invalid cron expression "every day"/,
    )
  })
})
