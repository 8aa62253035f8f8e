import { expect, test } from 'vitest'
import { shiftStart } from '../../../src/report/scope/period.ts'

const at = (text: string) => Date.parse(`${text}Z`)
const start = (schedule: string | undefined, asOf: string, timezone = 'UTC') =>
  new Date(shiftStart(schedule, timezone, at(asOf))).toISOString().slice(0, 16)

test.each([
  ['read in the night before it is made', '2026-11-22T02:12', '2026-11-21T08:00'],
  ['made shortly after it is due', '2026-11-22T08:05', '2026-11-21T08:00'],
  ['made in the evening', '2026-11-22T22:00', '2026-11-22T08:00'],
])('a daily handover %s speaks of the shift since the due time before', (_, asOf, since) => {
  expect(start('0 8 * * *', asOf)).toBe(since)
})

test('one of working days speaks on a Monday of the weekend', () => {
  expect(start('0 8 * * 1-5', '2026-11-23T07:30')).toBe('2026-11-20T08:00')
  expect(start('0 8 * * 1-5', '2026-11-24T07:30')).toBe('2026-11-23T08:00')
})

test('shifts of twelve hours, in local time, and of a week', () => {
  expect(start('0 8,20 * * *', '2026-11-22T06:50', 'Europe/Berlin')).toBe('2026-11-21T19:00')
  expect(start('0 8 * * MON', '2026-11-22T02:00')).toBe('2026-11-16T08:00')
})

test('without a schedule, or with one that cannot be read, it is a day', () => {
  expect(start(undefined, '2026-11-22T02:12')).toBe('2026-11-21T02:12')
  expect(start('at eight', '2026-11-22T02:12')).toBe('2026-11-21T02:12')
})
