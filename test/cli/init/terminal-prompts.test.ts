import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createAsker } from '../../../src/cli/init/terminal-prompts.ts'
import { ConfigError } from '../../../src/errors.ts'

const KEY = 'sbx55daa00abf7c7aef495226d1fae1e'
const anything = () => undefined

/** A terminal. Write keys to `input`, and read the screen from `seen`. */
function terminal() {
  const input = new PassThrough()
  const output = new PassThrough()
  const asker = createAsker(input, output)
  // Newer versions of Node emit one piece at a time.
  const seen = () => {
    const pieces: string[] = []
    for (let piece = output.read(); piece !== null; piece = output.read()) pieces.push(String(piece))
    return pieces.join('')
  }
  return { input, asker, seen }
}

test('a prompt of `faultline init` returns the default if nothing is typed', async () => {
  const { input, asker, seen } = terminal()
  const first = asker.ask('Since', '365d', anything)
  input.write('  90d \r')
  expect(await first).toBe('90d')
  expect(seen()).toContain('Since')
  const second = asker.ask('Since', '365d', anything)
  input.write('\r')
  expect(await second).toBe('365d')
  asker.close()
})

test('a prompt of `faultline init` reports an invalid answer, which the user can correct', async () => {
  const { input, asker, seen } = terminal()
  const answer = asker.ask('Age', '', (text) => (text === '9d' ? undefined : 'not an age'))
  input.write('9\r')
  await expect.poll(seen).toContain('not an age')
  input.write('d\r')
  expect(await answer).toBe('9d')
  asker.close()
})

test('a list prompt of `faultline init` accepts part of the name of an item', async () => {
  const { input, asker } = terminal()
  const answer = asker.choose('Zone', ['UTC', 'Asia/Tokyo', 'Europe/Berlin'], 'UTC')
  input.write('toky')
  input.write('\r')
  expect(await answer).toBe('Asia/Tokyo')
  asker.close()
})

test('a list prompt of `faultline init` suggests the closest item for an unknown answer', async () => {
  const { input, asker, seen } = terminal()
  const answer = asker.choose('Zone', ['UTC', 'Asia/Tokyo', 'Europe/Berlin'], 'UTC')
  input.write('Berln')
  input.write('\r')
  await expect.poll(seen).toMatch(/Unknown: "Berln"\. Did you mean Europe\/Berlin\?/)
  input.write('\u007f\u007f')
  input.write('lin')
  input.write('\r')
  expect(await answer).toBe('Europe/Berlin')
  asker.close()
})

test('a prompt of `faultline init` works on a terminal that reports 0 columns', async () => {
  const input = new PassThrough()
  const output = Object.assign(new PassThrough(), { columns: 0 })
  const asker = createAsker(input, output)
  const answer = asker.ask('Address of the service', '', anything)
  await expect.poll(() => String(output.read() ?? '')).toContain('Address of the service')
  input.write('x\r')
  expect(await answer).toBe('x')
  asker.close()
})

test('an app key typed at a hidden prompt never appears, even if pasted at a later prompt', async () => {
  const { input, asker, seen } = terminal()
  const hidden = asker.askHidden('App key')
  input.write('k-short\r')
  expect(await hidden).toBe('k-short')
  const after = asker.ask('Since', '', anything)
  input.write('k-short')
  input.write('\u001b[200~k-short\u001b[201~')
  input.write('90d\r')
  expect(await after).toBe('90d')
  const all = seen()
  expect(all).toContain('90d')
  expect(all).not.toMatch(/k-s|hort/)
  asker.close()
})

test.each([KEY, `${KEY}\r`, `FAULTLINE_APP_KEY=${KEY}`, `"${KEY}"\r`])(
  'an app key pasted as %j at another prompt is neither shown nor accepted',
  async (pasted) => {
    const { input, asker, seen } = terminal()
    const answer = asker.ask('Warehouse', '', anything)
    input.write(pasted)
    input.write('https://a2.example/a/long/path/with/2026\r')
    expect(await answer).toBe('https://a2.example/a/long/path/with/2026')
    expect(seen()).not.toContain(KEY.slice(0, 6))
    asker.close()
  },
)

test('Ctrl-C at a prompt of `faultline init` ends with a configuration error', async () => {
  const { input, asker } = terminal()
  const answer = asker.ask('Address', '', anything)
  input.write('\u0003')
  await expect(answer).rejects.toThrow(ConfigError)
})
