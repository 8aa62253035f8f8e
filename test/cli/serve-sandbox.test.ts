import { expect, test } from 'vitest'
import { run } from '../support/cli.ts'

test.each([
  [
    'an account number that would be rounded',
    ['--account', '9007199254740993'],
    /--account.*9007199254740991/,
  ],
  ['a number of incidents that is not a whole number', ['--incidents', '1e3'], /whole number/],
])('`faultline sandbox` rejects %s', async (_, options, message) => {
  expect(await run(['sandbox', ...options])).toMatchObject({
    code: 2,
    err: expect.stringMatching(message),
  })
})
