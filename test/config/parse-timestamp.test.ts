import { expect, test } from 'vitest'
import { startOfDayIn } from '../../src/cli/option-dates.ts'
import { moment, parseMoment, parseState } from '../../src/config/parse-timestamp.ts'
import { ConfigError } from '../../src/errors.ts'

const now = Date.parse('2026-03-01T00:00:00Z') / 1_000

test.each([
  ['2026-02-01', '2026-02-01T00:00:00Z'],
  ['2024-02-29', '2024-02-29T00:00:00Z'],
  [' 2026-02-01 10:00:00.5+02 ', '2026-02-01T08:00:00Z'],
  ['2026-02-01T10:00+02:00', '2026-02-01T08:00:00Z'],
  ['28d', '2026-02-01T00:00:00Z'],
])('the timestamp "%s" is valid', (text, wanted) => {
  expect(parseMoment(text, now, '--since')).toBe(Date.parse(wanted) / 1_000)
})

test.each([
  ...['garbage', '', '2026-02-30T', '99999999d', '9'.repeat(400).concat('d'), '1969-12-31'],
  ...[
    '2026-02-30',
    '2026-06-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-02-29',
    '2026-02-30T08:00:00Z',
  ],
  ...['2026-02-01T25:00Z', '2026-02-01T08:60Z', '2026-02-01T08:00', '2026-02-01T08:00+25:00'],
])('the invalid timestamp "%s" is rejected with the name of the option', (text) => {
  expect(() => parseMoment(text, now, '--since')).toThrow(ConfigError)
  expect(() => parseMoment(text, now, '--since')).toThrow(/^--since: /)
  expect(moment.safeParse(text).success).toBe(text === '1969-12-31' || /^9+d$/.test(text))
  if (text !== '') expect(() => parseState(text, '--at')).toThrow(/^--at: /)
})

test.each([
  // Clocks go forward that night, in Berlin at 02:00 and in Beirut exactly at midnight.
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00Z'],
  ['2026-03-29', 'Asia/Beirut', '2026-03-28T22:00:00Z'],
  ['2026-03-29', 'America/Los_Angeles', '2026-03-29T07:00:00Z'],
  ['2026-03-29', 'Pacific/Kiritimati', '2026-03-28T10:00:00Z'],
  ['2026-03-29T00:00:00Z', 'Europe/Berlin', '2026-03-29T00:00:00Z'],
  ['28d', 'Europe/Berlin', '2026-02-01T00:00:00Z'],
  ['1970-01-01', 'Europe/Berlin', '1970-01-01T00:00:00Z'],
])('the start %s in the time zone %s is %s', (text, timezone, wanted) => {
  expect(parseMoment(text, now, '--since', startOfDayIn({ timezone }))).toBe(Date.parse(wanted) / 1_000)
})
