import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shorten } from '../../src/render/sanitize-text.ts'

test('a text that fits is unchanged, and a longer text ends with an ellipsis', () => {
  expect(shorten('abc', 3)).toBe('abc')
  expect(shorten('abcd', 3)).toBe('ab…')
  expect(shorten('', 3)).toBe('')
})

test('a shortened text respects the limit and does not split surrogate pairs', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.integer({ min: 1, max: 30 }),
      (text, most) => {
        const short = shorten(text, most)
        expect(Array.from(short).length).toBeLessThanOrEqual(most)
        expect(short).not.toMatch(/\p{Cs}/u)
        if (short !== text) expect(text.startsWith(short.slice(0, -1))).toBe(true)
      },
    ),
  )
})
