import fc from 'fast-check'
import { expect, test } from 'vitest'
import { suggestion, unknownName } from '../src/errors.ts'

test('the closest name is meant, if any is close', () => {
  expect(suggestion('sevrity', ['team', 'severity'])).toBe('Did you mean "severity"?')
  expect(suggestion('tittle', ['title', 'subtitle'])).toBe('Did you mean "title"?')
  expect(suggestion('fromat', ['format'])).toBe('Did you mean "format"?')
  expect(suggestion('zebra', ['title'])).toBeUndefined()
  expect(suggestion('mttr', ['severity-trend', 'mtta-mttr'])).toBe('Did you mean "mtta-mttr"?')
  expect(suggestion('trend', ['severity-trend', 'team-trend'])).toBeUndefined()
  expect(suggestion('in', ['incidents', 'teams'])).toBeUndefined()
  expect(unknownName('zebra', ['title', 'x'])).toBe('There are title, x.')
  expect(unknownName('zebra', [])).toBe('There are none.')
})

test('a name with one letter missing is always found', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{4,12}$/), fc.nat(3), (name, drop) => {
      expect(suggestion(name.slice(0, drop) + name.slice(drop + 1), ['something_else_entirely', name])).toBe(
        `Did you mean "${name}"?`,
      )
    }),
  )
})
