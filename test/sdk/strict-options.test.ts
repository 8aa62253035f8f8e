import { expect, test } from 'vitest'
import { type ClientOptions, ConfigError, createClient, createSandbox, sync } from '../../src/sdk/index.ts'

const good = { baseUrl: 'https://service.invalid', appKey: 'secret-key' }

const refusalOf = async (act: () => unknown) => {
  try {
    await act()
  } catch (error) {
    return error
  }
  return undefined
}

test.each<[options: unknown, message: string, next: string | RegExp]>([
  [undefined, 'createClient: its options are an object.', /./],
  [{}, 'createClient: `baseUrl` is a text that is not empty.', 'It was not given.'],
  [
    { ...good, appKey: undefined },
    'createClient: `appKey` is a text that is not empty.',
    'It was not given.',
  ],
  [{ ...good, appKey: 7 }, 'createClient: `appKey` is a text that is not empty.', 'It was of type number.'],
  [{ ...good, qouta: 0.5 }, 'createClient: there is no option "qouta".', /quota/],
  [{ ...good, baseURL: 'x' }, 'createClient: there is no option "baseURL".', /baseUrl/],
  [{ ...good, __proto__: null, timeout: 1 }, 'createClient: there is no option "timeout".', /timeoutMs/],
  [{ ...good, quota: '0.5' }, 'createClient: `quota` is a number.', 'It was of type string.'],
  [{ ...good, insecure: 'yes' }, 'createClient: `insecure` is true or false.', 'It was of type string.'],
])('createClient refuses %j', async (options, message, next) => {
  const error = await refusalOf(() => createClient(options as ClientOptions))
  expect(error).toBeInstanceOf(ConfigError)
  expect(error).toMatchObject({ message, ...(next instanceof RegExp ? {} : { next }) })
  if (next instanceof RegExp && options !== undefined) expect((error as ConfigError).next).toMatch(next)
  expect(JSON.stringify(error)).not.toContain('secret-key')
})

test.each([
  ['sead', { sead: 1 }, /there is no option "sead"/],
  ['worlds', { worlds: 'storm' }, /there is no option "worlds"/],
  ['a seed that is a text', { seed: '1' }, /`seed` is a number/],
  ['a limiter that does not exist', { limiter: 'slide' }, /limiter/],
] as const)('createSandbox rejects %s', async (_, options, message) => {
  const error = await refusalOf(() => createSandbox(options as never))
  expect(error).toBeInstanceOf(ConfigError)
  expect((error as ConfigError).message).toMatch(message)
})

const clear = [
  'http://service.invalid',
  'HTTP://service.invalid:8080/v1',
  'http://127.0.0.1.evil.example',
  'http://10.0.0.1',
]

test.each(clear)('the package sends no key to %s, unless allowed', async (baseUrl) => {
  const options = { ...good, baseUrl }
  for (const act of [() => createClient(options), () => sync({ ...options, warehouse: 'none/x.duckdb' })]) {
    const error = await refusalOf(act)
    expect(error).toBeInstanceOf(ConfigError)
    expect(error).toMatchObject({ field: 'baseUrl', next: expect.stringContaining('insecure: true') })
  }
  await createClient({ ...options, insecure: true }).close()
})

test.each(['http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:8080', 'https://service.invalid'])(
  'the package sends the key to %s',
  async (baseUrl) => {
    await createClient({ ...good, baseUrl }).close()
  },
)
