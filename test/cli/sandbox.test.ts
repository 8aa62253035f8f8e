import { expect, test } from 'vitest'
import { sandboxCommand } from '../../src/cli/sandbox.ts'
import { ConfigError } from '../../src/errors.ts'
import { listening } from '../support/console.ts'

test.each([
  ['an account that would become another', { account: '9007199254740993' }, /--account.*9007199254740991/],
  ['a number that is none', { incidents: '1e3' }, /whole number/],
])('the sandbox refuses %s', async (_, flags, message) => {
  const refusal = sandboxCommand(listening({}), flags)
  await expect(refusal).rejects.toThrow(ConfigError)
  await expect(refusal).rejects.toThrow(message)
})
