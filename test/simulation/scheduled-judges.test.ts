import { describe, expect, test } from 'vitest'
import type { Delivered, Handover } from './scheduled/delivered.ts'
import { judgeHandovers } from './scheduled/handovers.ts'
import { judgePeriods } from './scheduled/periods.ts'

const HOUR = 3_600
const month = { report: 'month', period: '2026-03-01..2026-04-01' }
const page = (at: number, isComplete: boolean): Delivered => ({
  ...{ ...month, at, isComplete },
  asOf: at,
  hasPage: true,
})

describe('the judge of periods', () => {
  test.each([
    ['accepts one complete page', [page(1, true)], []],
    ['accepts an incomplete page before the complete one', [page(1, false), page(2, true)], []],
    ['reports a period without a page', [], [/was never delivered/]],
    ['reports a period that stays incomplete', [page(1, false)], [/never delivered complete/]],
    ['reports a second complete page', [page(1, true), page(2, true)], [/complete 2 times/]],
    [
      'reports a second incomplete page',
      [page(1, false), page(2, false), page(3, true)],
      [/incomplete 2 times/],
    ],
    [
      'reports an incomplete page after the complete one',
      [page(1, true), page(2, false)],
      [/after it was complete/],
    ],
    ['reports a message without its page', [{ ...page(1, true), hasPage: false }], [/no page/]],
  ])('%s', (_, delivered, expected) => {
    expect(judgePeriods([month], delivered)).toEqual(expected.map((text) => expect.stringMatching(text)))
  })
})

describe('the judge of handovers', () => {
  const at = (hour: number, ...incidents: string[]): Handover => ({
    ...{ asOf: hour * HOUR, at: hour * HOUR },
    incidents,
  })
  const began = (id: string, hour: number, listed = hour) => ({
    ...{ id, startedAt: hour * HOUR, listedAt: listed * HOUR },
  })

  test.each([
    [
      'accepts that each incident is in one handover',
      [began('a', 10), began('b', 30)],
      [at(24, 'a'), at(48, 'b')],
      [],
    ],
    ['accepts incidents that started before the first handover', [began('a', 10)], [at(40)], []],
    ['accepts incidents that are listed after the last handover', [began('a', 10, 50)], [at(24), at(48)], []],
    ['reports an incident in no handover', [began('a', 30)], [at(24), at(48)], [/in no handover/]],
    [
      'reports a late-listed incident in no handover',
      [began('a', 2, 30)],
      [at(24), at(48)],
      [/in no handover/],
    ],
    [
      'reports an incident in two handovers',
      [began('a', 10)],
      [at(24, 'a'), at(48, 'a')],
      [/in 2 handovers/],
    ],
  ])('%s', (_, incidents, handovers, expected) => {
    expect(judgeHandovers(incidents, handovers)).toEqual(expected.map((text) => expect.stringMatching(text)))
  })
})
