import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import { ConfigError } from '../../src/errors.ts'
import { metricsFor } from '../../src/report/metrics/metric-file.ts'
import { parseDuration } from '../../src/settings/duration.ts'
import { type Band, defaultSettings } from '../../src/settings/settings.ts'

const settings = (reporting: object) =>
  settingsOf(readConfig(JSON.stringify({ reporting }), 'c.json').data.reporting)

/** Returns the band of an hour by rank, as the SQL views do. */
const bandOf = (bands: readonly Band[], weekday: number, hour: number) =>
  bands
    .filter((each) => each.weekdays.includes(weekday) && each.from_hour <= hour && hour < each.to_hour)
    .toSorted((a, b) => a.rank - b.rank)[0]?.band

test('an empty configuration has the default settings', () => {
  expect(settingsOf(readConfig('{}', 'c.json').data.reporting)).toEqual(defaultSettings)
  expect(settings({ targets: { Critical: {} }, thresholds: {}, quality: { age: {} } })).toEqual(
    defaultSettings,
  )
})

describe('a custom measure', () => {
  const measure = { from: 'start_time', to: 'end_time', title: 'T' }
  const told = (measures: object) => {
    try {
      settings({ measures })
      return undefined
    } catch (error) {
      const { message, next } = error as ConfigError
      return [message, next]
    }
  }

  test('is rejected with a suggested name if a built-in metric has the same name', () => {
    expect(told({ pages: measure })).toEqual([
      expect.stringContaining('"pages" is the name of an included metric'),
      'Use own_pages instead.',
    ])
    expect(told({ acknowledged: { ...measure, target: '1h' } })?.[1]).toBe('Use own_acknowledged instead.')
    expect(told({ resolved: { ...measure, target: '1h' } })).toEqual([
      expect.stringContaining('"resolved_in_time" is the name of an included metric'),
      'Use own_resolved instead.',
    ])
    expect(told({ fix: { ...measure, target: '1h' }, fix_in_time: measure })?.[1]).toBe(
      'Use own_fix instead.',
    )
    expect(told({ resolved: measure, own_pages: measure })).toBeUndefined()
  })

  test('cannot have the name of any built-in metric', () => {
    const { metrics } = metricsFor('reports/mtta-mttr.md', (mistake) => expect.fail(mistake.message))
    for (const name of metrics.keys())
      expect(told({ [name]: measure })?.[1], name).toBe(`Use own_${name} instead.`)
    expect(metrics.size).toBeGreaterThan(15)
  })
})

describe('durations', () => {
  test.each([
    ['90s', 90],
    ['15m', 900],
    ['1h30m', 5_400],
    ['1 h 30 m', 5_400],
    ['1.5h', 5_400],
    ['7d', 604_800],
    ['2w', 1_209_600],
    ['', undefined],
    ['15', undefined],
    ['m', undefined],
    ['15 minutes', undefined],
    ['-5m', undefined],
  ])('are parsed to seconds, or rejected: %j → %s', (text, seconds) =>
    expect(parseDuration(text)).toBe(seconds),
  )

  test('may be numbers of seconds or strings, but must be above 0', () => {
    const { targets } = settings({ targets: { Critical: { ack: 120, resolve: '2h' } } })
    expect(targets[0]).toMatchObject({ severity: 'Critical', ack_target_s: 120, resolve_target_s: 7_200 })
    expect(() => settings({ targets: { Critical: { ack: 0 } } })).toThrow(/reporting\.targets\.Critical\.ack/)
  })
})

test('a null target is removed, and a severity without targets is omitted', () => {
  expect(settings({ targets: { Warning: { ack: null } } }).targets[1]).toMatchObject({
    ack_target_s: null,
    resolve_target_s: 86_400,
  })
  const gone = settings({
    targets: { Warning: { ack: null, resolve: null }, Ok: { resolve: '30d' } },
  }).targets
  expect(gone.map(({ severity }) => severity)).toEqual(['Critical', 'Info', 'Ok'])
})

describe('response targets', () => {
  test('have no built-in targets or objectives if `defaults` is false', () => {
    const targets = { defaults: false, Warning: { ack: '10m' } }
    expect(settings({ targets }).targets).toEqual([
      { severity: 'Warning', ack_target_s: 600, resolve_target_s: null, ack_goal: null, resolve_goal: null },
    ])
    expect(settings({ targets: { defaults: false } }).targets).toEqual([])
  })

  test('for a team or dimension inherit missing fields from the targets for the severity', () => {
    const { ownTargets } = settings({
      dimensions: { service: 'label.service', region: 'label.region' },
      workingHours: { office: { from: 9, to: 17 } },
      targets: {
        Critical: { resolve: '2h', ackHours: 'office' },
        teams: { Payments: { Critical: { ack: '2m' }, Ok: { resolve: '1d' } } },
        dimensions: {
          region: { eu: { Critical: { resolve: null, overrides: true } } },
          service: { web: { Info: { ackGoal: 1 }, Warning: {} } },
        },
      },
    })
    const own = { hours: null, overrides: false }
    const payments = { ...own, scope: 'team', value: 'Payments', rank: 1 }
    const critical = { severity: 'Critical', goal: null }
    expect(ownTargets).toEqual([
      { ...payments, ...critical, measure: 'ack', target_s: 120, hours: 'office' },
      { ...payments, severity: 'Ok', measure: 'resolve', target_s: 86_400, goal: null },
      {
        ...{ ...own, scope: 'service', value: 'web', rank: 2 },
        ...{ severity: 'Info', measure: 'ack', target_s: 3600, goal: 1 },
      },
      {
        ...{ ...own, ...critical, scope: 'region', value: 'eu', rank: 3 },
        ...{ measure: 'resolve', target_s: null, overrides: true },
      },
    ])
  })
})

test('the default acknowledgement policy is first_action if automation is configured', () => {
  const ackOf = (reporting: object) => settings(reporting).policies.find(({ name }) => name === 'ack')?.value
  expect(ackOf({})).toBe('exclude')
  expect(ackOf({ automation: { members: ['bot'] } })).toBe('first_action')
  expect(ackOf({ automation: { integrations: ['auto'] } })).toBe('first_action')
  expect(ackOf({ automation: { members: ['bot'] }, ackPolicy: 'exclude' })).toBe('exclude')
})

test('a data quality limit set to null is removed', () => {
  const names = settings({ quality: { quarantined: { warn: null } } }).thresholds.map(({ name }) => name)
  expect(names).not.toContain('quarantined_warn_share')
  expect(names).toContain('quarantined_error_share')
})

describe('the setting `hours`', () => {
  test('divides a weekday into sleep, work and off hours with the preset `office`', () => {
    const { bands } = settings({ hours: 'office' })
    const monday = Array.from({ length: 24 }, (_, hour) => bandOf(bands, 1, hour))
    expect(monday.indexOf('work')).toBe(8)
    expect(monday.lastIndexOf('work')).toBe(18)
    expect([monday[7], monday[22], monday[23]]).toEqual(['sleep', 'off', 'sleep'])
    expect(bandOf(bands, 6, 12)).toBe('off')
  })

  test('treats Sunday night as work with the preset `24x7`', () => {
    expect(bandOf(settings({ hours: '24x7' }).bands, 7, 3)).toBe('work')
  })

  test('assigns a range to its band, and all other hours to off', () => {
    const hour = fc.integer({ min: 0, max: 24 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), hour, hour, (first, from, to) => {
        fc.pre(from !== to)
        const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
        const { bands } = settings({ hours: [{ band: 'sleep', days: days[first - 1], from, to }] })
        for (let weekday = 1; weekday <= 7; weekday++) {
          for (let at = 0; at < 24; at++) {
            // Hours since the midnight before the band's day, in this week or at the end of the previous one.
            const since = ((weekday - first + 7) % 7) * 24 + at
            const end = to < from ? to + 24 : to
            expect(bandOf(bands, weekday, at)).toBe(since >= from && since < end ? 'sleep' : 'off')
          }
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('an invalid reporting setting', () => {
  test.each<[object, RegExp]>([
    [{ hours: 'offic' }, /reporting\.hours: expected office, 24x7 or a list/],
    [{ hours: [{ band: 'wrk', from: 1, to: 2 }] }, /reporting\.hours\.0\.band: /],
    [{ hours: [{ band: 'work', days: 'Mon-Xyz', from: 1, to: 2 }] }, /reporting\.hours\.0: expected days/],
    [{ hours: [{ band: 'work', from: 3, to: 3 }] }, /different hours/],
    [{ holidays: { '2026-02-30': 'x' } }, /2026-02-30: expected a day/],
    [{ zones: { 1042: 'Berlin' } }, /reporting\.zones\.1042: expected an IANA/],
    [{ zones: { Ann: 'UTC' } }, /the id of a member/],
    [
      { targets: { teams: { Web: { Critcal: { ack: 5 } } } } },
      /Unknown key "Critcal" in reporting\.targets\.teams\.Web\./,
    ],
    [
      { targets: { teams: { Web: { Info: { acks: 5 } } } } },
      /Unknown key "acks" in reporting\.targets\.teams\.Web\.Info/,
    ],
    [
      { targets: { dimensions: { servce: {} } }, dimensions: { service: 'label.s' } },
      /reporting\.targets\.dimensions\.servce: "servce" is not defined/,
    ],
    [{ targets: { dimensions: { service: {} } } }, /dimensions\.service: "service" is not defined/],
    [{ targets: { Critical: { ack: '5 mins' } } }, /targets\.Critical\.ack: .*15m/],
    [{ quality: { coverage: { error: 90 } } }, /coverage\.error: expected a share from 0 to 1/],
  ])('is rejected with the name of its field: %j', (reporting, message) => {
    expect(() => settings(reporting)).toThrow(message)
    expect(() => settings(reporting)).toThrow(ConfigError)
  })
})

test('`hourlyCost` must be a number above 0, and is unset by default', () => {
  const cost = (reporting: object) =>
    settings(reporting).thresholds.find(({ name }) => name === 'hourly_cost')?.value
  expect(cost({ hourlyCost: 87.5 })).toBe(87.5)
  expect(cost({})).toBeUndefined()
  expect(() => settings({ hourlyCost: 0 })).toThrow(/reporting\.hourlyCost/)
  expect(() => settings({ hourlyCost: '95 EUR' })).toThrow(/reporting\.hourlyCost/)
})

describe('configured events', () => {
  const of = (...events: object[]) => settings({ events }).events

  test('use the configured time zone, and affect all teams by default', () => {
    const { data } = readConfig(
      JSON.stringify({
        timezone: 'Asia/Tokyo',
        reporting: { events: [{ date: '2026-03-14', name: ' new rota ' }] },
      }),
      'c.json',
    )
    expect(settingsOf(data.reporting, { timezone: data.timezone }).events).toEqual([
      { name: 'new rota', day: '2026-03-14', timezone: 'Asia/Tokyo', team_names: null },
    ])
    expect(of({ date: '2026-03-14', name: 'a', teams: ['Payments'] })).toMatchObject([
      { team_names: ['Payments'] },
    ])
  })

  test.each([
    [
      [{ date: '2026-02-30', name: 'a' }],
      /c\.json:\d+: reporting\.events\.0\.date: expected a day such as 2026-03-14/,
    ],
    [[{ date: '14.3.2026', name: 'a' }], /events\.0\.date: expected a day such as 2026-03-14/],
    [[{ name: 'a' }], /events\.0\.date/],
    [[{ date: '2026-03-14' }], /events\.0\.name/],
    [[{ date: '2026-03-14', name: ' ' }], /events\.0\.name: expected a name/],
    [[{ date: '2026-03-14', name: 'a\nb' }], /events\.0\.name: expected a name without line breaks/],
    [
      [{ date: '2026-03-14', name: 'x'.repeat(61) }],
      /events\.0\.name: expected a name of up to 60 characters/,
    ],
    [
      [{ date: '2026-03-14', name: 'a', teams: [] }],
      /events\.0\.teams: expected the affected teams; remove `teams` to affect all/,
    ],
    [
      [{ date: '2026-03-14', name: 'a', team: ['x'] }],
      /c\.json:1: Unknown key "team" in reporting\.events\.0/,
    ],
    [
      [
        { date: '2026-03-14', name: 'Rota' },
        { date: '2026-03-15', name: 'rota' },
      ],
      /events\.1\.name: duplicate event name "rota"/,
    ],
  ])('are rejected if they are invalid: %j', (events, message) => {
    expect(() => of(...(events as object[]))).toThrow(message)
  })
})
