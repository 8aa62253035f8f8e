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
  [undefined, 'createClient: options must be an object.', /./],
  [{}, 'createClient: `baseUrl` must be a non-empty string.', 'Received: undefined.'],
  [
    { ...good, appKey: undefined },
    'createClient: `appKey` must be a non-empty string.',
    'Received: undefined.',
  ],
  [
    { ...good, appKey: 7 },
    'createClient: `appKey` must be a non-empty string.',
    'Received: a value of type number.',
  ],
  [{ ...good, qouta: 0.5 }, 'createClient: unknown option "qouta".', /quota/],
  [{ ...good, baseURL: 'x' }, 'createClient: unknown option "baseURL".', /baseUrl/],
  [{ ...good, __proto__: null, timeout: 1 }, 'createClient: unknown option "timeout".', /timeoutMs/],
  [{ ...good, quota: '0.5' }, 'createClient: `quota` must be a number.', 'Received: a value of type string.'],
  [
    { ...good, insecure: 'yes' },
    'createClient: `insecure` must be true or false.',
    'Received: a value of type string.',
  ],
])('createClient rejects the options %j', async (options, message, next) => {
  const error = await refusalOf(() => createClient(options as ClientOptions))
  expect(error).toBeInstanceOf(ConfigError)
  expect(error).toMatchObject({ message, ...(next instanceof RegExp ? {} : { next }) })
  if (next instanceof RegExp && options !== undefined) expect((error as ConfigError).next).toMatch(next)
  expect(JSON.stringify(error)).not.toContain('secret-key')
})

test.each([
  ['the misspelled option sead', { sead: 1 }, /unknown option "sead"/],
  ['the unknown option worlds', { worlds: 'storm' }, /unknown option "worlds"/],
  ['a seed that is a string', { seed: '1' }, /`seed` must be a number/],
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

test.each(clear)('the SDK rejects the plain HTTP address %s unless `insecure` is set', async (baseUrl) => {
  const options = { ...good, baseUrl }
  for (const act of [() => createClient(options), () => sync({ ...options, warehouse: 'none/x.duckdb' })]) {
    const error = await refusalOf(act)
    expect(error).toBeInstanceOf(ConfigError)
    expect(error).toMatchObject({ field: 'baseUrl', next: expect.stringContaining('insecure: true') })
  }
  await createClient({ ...options, insecure: true }).close()
})

test.each(['http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:8080', 'https://service.invalid'])(
  'the SDK accepts the address %s',
  async (baseUrl) => {
    await createClient({ ...good, baseUrl }).close()
  },
)
