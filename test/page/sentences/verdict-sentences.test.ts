import { expect, test } from 'vitest'
import { verdictWords } from '../../../src/page/sentences/verdict-sentences.ts'

const context = { timezone: 'UTC', year: '2026' }
const spike = { isNow: true, n: 90, part: 0.9, of: 100, from: '2026-10-28', isDay: true, ratio: 3 }

test.each([
  [1.26, '26% more'],
  [1.11, '11% more'],
  [1.1, 'about as many'],
  [0.9, 'about as many'],
  [0.85, '15% fewer'],
  [2, '2 times as many'],
])('without its spike, a count with the ratio %d is described as “%s”', (ratioRest, words) => {
  const said = verdictWords({ code: 'burst', burst: { ...spike, ratioRest } }, 'count', context)
  expect(said.replaceAll('\u00a0', ' ')).toBe(
    `3 times as many, nearly all on 28 Oct; without that day ${words}`,
  )
})
