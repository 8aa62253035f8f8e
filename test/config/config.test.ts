import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig, parseConfig, requireService } from '../../src/config/config.ts'
import { redisOf } from '../../src/config/limits.ts'
import { ConfigError } from '../../src/errors.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-config-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function load(content: object, environment: Record<string, string> = {}) {
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify(content))
  return loadConfig({ config }, environment)
}

describe('the Redis server that shares the limits', () => {
  const redis = 'redis://me:secret@redis.example:6379'

  test('is none, the one of the file, or that of the environment, which goes before', () => {
    expect(redisOf(load({}).limits)).toBeUndefined()
    expect(redisOf(load({ limits: { redis } }).limits)).toBe(redis)
    writeFileSync(join(folder, 'redis-address'), 'rediss://other.example\n')
    const limits = { redis, redisFile: './redis-address' }
    expect(redisOf(load({ limits }).limits)).toBe('rediss://other.example')
    expect(redisOf(load({ limits }, { FAULTLINE_REDIS_URL: 'redis://third' }).limits)).toBe('redis://third')
  })

  test('is told about where it is wrong', () => {
    expect(() => load({ limits: { redis: 'https://redis.example' } })).toThrow(/limits\.redis: .*redis:\/\//)
    const { limits } = load({ limits: { redisFile: './nowhere' } })
    expect(() => redisOf(limits)).toThrow(/The address of the Redis server cannot be read from .*nowhere/)
  })
})

describe('the key', () => {
  const file = { baseUrl: 'https://service.example', appKeyFile: './app-key' }

  test('is read from its file, beside the configuration', () => {
    writeFileSync(join(folder, 'app-key'), 'secret\n')
    expect(requireService(load(file))).toEqual({ baseUrl: file.baseUrl, appKey: 'secret' })
  })

  test('of the environment goes before the file, which need not be there then', () => {
    expect(requireService(load(file, { FAULTLINE_APP_KEY: 'other' })).appKey).toBe('other')
  })

  test('is not needed to read the configuration: reports and queries do without', () => {
    const config = load(file)
    expect(config.warehouse).toBe(join(folder, 'faultline.duckdb'))
    expect(() => requireService(config)).toThrow(ConfigError)
    expect(() => requireService(config)).toThrow(/app-key/)
  })

  test('that is nowhere is asked for', () => {
    expect(() => requireService(load({ baseUrl: file.baseUrl }))).toThrow('There is no app key.')
    writeFileSync(join(folder, 'app-key'), ' \n')
    expect(() => requireService(load(file))).toThrow('There is no app key.')
  })
})

test('a variable that is set to nothing is not set', () => {
  const file = { baseUrl: 'https://file.example', warehouse: 'file.duckdb', appKeyFile: 'app-key' }
  writeFileSync(join(folder, 'app-key'), 'secret')
  const config = load(file, { FAULTLINE_BASE_URL: '', FAULTLINE_WAREHOUSE: '', FAULTLINE_APP_KEY: ' \n' })
  expect(config).toMatchObject({ baseUrl: file.baseUrl, warehouse: join(folder, 'file.duckdb') })
  expect(requireService(config).appKey).toBe('secret')
  expect(loadConfig({}, { FAULTLINE_CONFIG: '' }).baseUrl).toBeUndefined()
})

test('a byte order mark before the file is no mistake', () => {
  expect(parseConfig('\ufeff{"out": "pages"}', 'config.json').out).toBe('pages')
})

test('windows are an hour long at least', () => {
  expect(() => parseConfig('{"sync": {"windowDays": 0.00001}}', 'config.json')).toThrow(/an hour/)
})

test('the command line overrides the environment, which overrides the file', () => {
  const file = { baseUrl: 'https://file.example', warehouse: 'file.duckdb' }
  const config = join(folder, 'config.json')
  expect(load(file).baseUrl).toBe('https://file.example')
  expect(load(file, { FAULTLINE_BASE_URL: 'https://env.example' }).baseUrl).toBe('https://env.example')
  const both = loadConfig(
    { config, baseUrl: 'https://line.example', warehouse: join(folder, 'line.duckdb') },
    { FAULTLINE_BASE_URL: 'https://env.example', FAULTLINE_WAREHOUSE: 'env.duckdb' },
  )
  expect(both).toMatchObject({ baseUrl: 'https://line.example', warehouse: join(folder, 'line.duckdb') })
})

describe('a mistake in the file names its field', () => {
  test.each<[string, string, RegExp, RegExp]>([
    ['no JSON', '{', /is not JSON/, /config\.example\.json/],
    ['an unknown field', '{ "basUrl": "https://a.example" }', /"basUrl"/, /"baseUrl"/],
    ['an unknown field of sync', '{ "sync": { "cuota": 0.5 } }', /"sync\.cuota"/, /"quota"/],
    ['the key itself', '{ "appKey": "secret" }', /"appKey"/, /appKeyFile/],
    ['a wrong address', '{ "baseUrl": "service.example" }', /baseUrl: .*http/, /config\.example\.json/],
    ['a wrong zone', '{ "timezone": "Berlin" }', /timezone: .*IANA/, /config\.example\.json/],
    [
      'a window too long',
      '{ "sync": { "windowDays": 40 } }',
      /sync\.windowDays: .*31/,
      /config\.example\.json/,
    ],
  ])('%s', (_, text, message, next) => {
    let error: unknown
    try {
      parseConfig(text, 'c.json')
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).message).toMatch(message)
    expect((error as ConfigError).message).not.toContain('secret')
    expect((error as ConfigError).next).toMatch(next)
  })
})
