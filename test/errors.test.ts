import fc from 'fast-check'
import { expect, test } from 'vitest'
import { closestMatch, unknownName } from '../src/errors.ts'

test('the closest known name is suggested for a misspelled name', () => {
  expect(closestMatch('sevrity', ['team', 'severity'])).toBe('Did you mean "severity"?')
  expect(closestMatch('tittle', ['title', 'subtitle'])).toBe('Did you mean "title"?')
  expect(closestMatch('fromat', ['format'])).toBe('Did you mean "format"?')
  expect(closestMatch('zebra', ['title'])).toBeUndefined()
  expect(closestMatch('mttr', ['severity-trend', 'mtta-mttr'])).toBe('Did you mean "mtta-mttr"?')
  expect(closestMatch('trend', ['severity-trend', 'team-trend'])).toBeUndefined()
  expect(closestMatch('in', ['incidents', 'teams'])).toBeUndefined()
  expect(unknownName('zebra', ['title', 'x'])).toBe('Available: title, x.')
  expect(unknownName('zebra', [])).toBe('None are available.')
})

test('the closest name is always found if only one letter is missing', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{4,12}$/), fc.nat(3), (name, drop) => {
      expect(
        closestMatch(name.slice(0, drop) + name.slice(drop + 1), ['something_else_entirely', name]),
      ).toBe(`Did you mean "${name}"?`)
    }),
  )
})
