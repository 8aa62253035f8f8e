import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createAsker } from '../../../src/cli/init/ask.ts'
import { ConfigError } from '../../../src/errors.ts'

/** A terminal: what is typed goes into `input`, what is seen comes out of `seen`. */
function terminal() {
  const input = new PassThrough()
  const output = new PassThrough()
  const asker = createAsker(input, output)
  return { input, asker, seen: () => String(output.read() ?? '') }
}

test('an answer is what was typed; nothing typed is the preset', async () => {
  const { input, asker, seen } = terminal()
  const first = asker.ask('Zone', 'UTC')
  input.write('  Europe/Berlin \r')
  expect(await first).toBe('Europe/Berlin')
  expect(seen()).toContain('Zone [UTC]: ')
  const second = asker.ask('Zone', 'UTC')
  input.write('\r')
  expect(await second).toBe('UTC')
  asker.close()
})

test('a hidden answer is never shown, and what follows is again', async () => {
  const { input, asker, seen } = terminal()
  const hidden = asker.askHidden('App key')
  for (const letter of 'k-secret') input.write(letter)
  input.write('\r')
  expect(await hidden).toBe('k-secret')
  const after = asker.ask('Since')
  input.write('90d\r')
  expect(await after).toBe('90d')
  const all = seen()
  expect(all).toContain('App key: ')
  expect(all).toContain('90d')
  for (const letter of 'ks') expect(all.replace(/App key|Since/g, '')).not.toContain(letter)
  asker.close()
})

test.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s ends the questions with a clear error', async (_, key) => {
  const { input, asker } = terminal()
  const answer = asker.ask('Address')
  input.write(key)
  await expect(answer).rejects.toThrow(ConfigError)
})
