import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { loadConfig, requireService } from '../../src/config/config.ts'
import { readConfig } from '../../src/config/config-file.ts'
import { effectiveSettings } from '../../src/config/effective-config.ts'
import { ConfigError } from '../../src/errors.ts'
import { failureOf, loading } from './loading.ts'

const { folder, load } = loading()

describe('the app key', () => {
  const file = { baseUrl: 'https://service.example', appKeyFile: './app-key' }

  test('is read from a file beside the configuration', () => {
    writeFileSync(join(folder(), 'app-key'), 'secret\n')
    expect(requireService(load(file))).toEqual({ baseUrl: file.baseUrl, appKey: 'secret', insecure: false })
  })

  test('is read from the environment if set there, even if the key file is missing', () => {
    expect(requireService(load(file, { FAULTLINE_APP_KEY: 'other' })).appKey).toBe('other')
  })

  test('is optional for reports and queries', () => {
    const config = load(file)
    expect(config.warehouse).toBe(join(folder(), 'faultline.duckdb'))
    expect(() => requireService(config)).toThrow(ConfigError)
    expect(() => requireService(config)).toThrow(/app-key/)
  })

  test('is reported as missing if no source contains a key', () => {
    expect(() => requireService(load({ baseUrl: file.baseUrl }))).toThrow('The app key is missing.')
    writeFileSync(join(folder(), 'app-key'), ' \n')
    expect(() => requireService(load(file))).toThrow('The app key is missing.')
  })

  test('is reported as missing, with a suggestion if its variable is misspelled', () => {
    vi.stubEnv('FAULTLINE_APPKEY', 'secret')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { next } = failureOf(() => requireService(load({ baseUrl: file.baseUrl })))
    expect(next).toContain('FAULTLINE_APPKEY is set. Did you mean FAULTLINE_APP_KEY')
  })

  test.each(['"secret"', "'secret'", '“secret”'])('is rejected if it is in quotation marks: %s', (key) => {
    const { message, next } = failureOf(() => requireService(load(file, { FAULTLINE_APP_KEY: key })))
    expect(message).toMatch(/quotation marks/)
    expect(message + next).not.toContain('cret')
  })
})

test('an empty environment variable counts as unset', () => {
  const file = { baseUrl: 'https://file.example', warehouse: 'file.duckdb', appKeyFile: 'app-key' }
  writeFileSync(join(folder(), 'app-key'), 'secret')
  const config = load(file, { FAULTLINE_BASE_URL: '', FAULTLINE_WAREHOUSE: '', FAULTLINE_APP_KEY: ' \n' })
  expect(config).toMatchObject({ baseUrl: file.baseUrl, warehouse: join(folder(), 'file.duckdb') })
  expect(requireService(config).appKey).toBe('secret')
  expect(loadConfig({}, { FAULTLINE_CONFIG: '' }).baseUrl).toBeUndefined()
})

test('a byte order mark at the start of the configuration file is accepted', () => {
  expect(readConfig('\ufeff{"out": "pages"}', 'config.json').data.out).toBe('pages')
})

test('a sync window shorter than one hour is rejected', () => {
  expect(() => readConfig('{"sync": {"windowDays": 0.00001}}', 'config.json')).toThrow(/an hour/)
})

test('the command line overrides the environment, and the environment overrides the file', () => {
  const file = { baseUrl: 'https://file.example', warehouse: 'file.duckdb' }
  const config = join(folder(), 'config.json')
  expect(load(file).baseUrl).toBe('https://file.example')
  expect(load(file, { FAULTLINE_BASE_URL: 'https://env.example' }).baseUrl).toBe('https://env.example')
  const both = loadConfig(
    { config, baseUrl: 'https://line.example', warehouse: join(folder(), 'line.duckdb') },
    { FAULTLINE_BASE_URL: 'https://env.example', FAULTLINE_WAREHOUSE: 'env.duckdb' },
  )
  expect(both).toMatchObject({ baseUrl: 'https://line.example', warehouse: join(folder(), 'line.duckdb') })
})

describe('an error in the configuration file', () => {
  test.each<[string, string, RegExp, RegExp]>([
    ['invalid JSON', '{', /c\.json:1: This is not valid JSON/, /comma, quote or bracket/],
    [
      'an app key in the file',
      '{ "appKey": "secret" }',
      /"appKey"/,
      /must not be in this file.*FAULTLINE_APP_KEY.*appKeyFile/,
    ],
    [
      'an app key in an account',
      '{ "accounts": [{ "name": "A", "app_key": "secret" }] }',
      /"app_key"/,
      /must not be in/,
    ],
    [
      'an age without a unit',
      '{ "sync": { "since": "90" } }',
      /:1: sync\.since: expected a date.*90d/,
      /faultline config schema/,
    ],
    [
      'an invalid age in an account',
      '{ "accounts": [{ "name": "A", "baseUrl": "https://a.example", "since": "soon" }] }',
      /:1: accounts\.0\.since: expected a date.*90d/,
      /faultline config schema/,
    ],
    ['a wrong address', '{ "baseUrl": "service.example" }', /baseUrl: .*http/, /faultline config schema/],
    [
      'a UTC offset as the time zone',
      '{ "timezone": "+08:00" }',
      /timezone: .*IANA/,
      /faultline config schema/,
    ],
  ])('is reported with its field and a suggestion: %s', (_, text, message, next) => {
    const error = failureOf(() => readConfig(text, 'c.json'))
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('secret')
    expect(error.next).toMatch(next)
  })
})

describe('the configuration file', () => {
  const written = (name: string, text: string) => {
    const config = join(folder(), name)
    writeFileSync(config, text)
    return { config }
  }

  test('is rejected with all errors at once, one per line', () => {
    const text = `{
  // The service
  "basUrl": "https://a.example",
  "timezone": "Berlin",
  "sync": {
    "cuota": 0.5,
    "windowDays": 40, /* too long */
  },
  "reporting": { "cohort": "opened",
    "hours": [{ "band": "wrk", "from": 1, "to": 2 }],
    "targets": { "Critcal": {} } }
}`
    const { message } = failureOf(() => readConfig(text, 'c.json'))
    expect(message.split('\n')).toEqual([
      'The configuration has 7 errors.',
      'c.json:3: Unknown key "basUrl". Did you mean "baseUrl"?',
      'c.json:4: timezone: expected an IANA time zone name, such as Europe/Berlin. Did you mean "Europe/Berlin"?',
      'c.json:6: Unknown key "cuota" in sync. Did you mean "quota"?',
      'c.json:7: sync.windowDays: the service allows at most 31 days.',
      'c.json:9: reporting.cohort: invalid value "opened". Available: started, closed.',
      'c.json:10: reporting.hours.0.band: invalid value "wrk". Did you mean "work"?',
      'c.json:11: Unknown key "Critcal" in reporting.targets. Did you mean "Critical"?',
    ])
  })

  test('may be JSON with comments and a trailing comma, or YAML', () => {
    const json = '{ // here\n\t"baseUrl": "https://a.example/*b*/", /* and\nhere */ "out": "a\\"//b",\n}'
    const yaml = 'baseUrl: https://a.example\nout: pages # here\nreporting:\n  zones:\n    1042: Asia/Tokyo\n'
    expect(readConfig(json, 'c.json').data).toMatchObject({ baseUrl: 'https://a.example/*b*/', out: 'a"//b' })
    const config = loadConfig(written('config.yaml', yaml), {})
    expect(config).toMatchObject({ baseUrl: 'https://a.example', out: join(folder(), 'pages') })
    expect(config.settings.personZones).toEqual([{ person_id: '1042', timezone: 'Asia/Tokyo' }])
    expect(() => readConfig('sync:\n  since: 90d\n  qota: 1\n', 'c.yaml')).toThrow(/^c\.yaml:3: .*"qota"/)
  })

  test('is found in the current folder unless the folder contains several configuration files', () => {
    const before = process.cwd()
    process.chdir(folder())
    try {
      written('config.yaml', 'out: pages')
      expect(loadConfig({}, {}).out).toMatch(/pages$/)
      written('config.json', '{}')
      expect(() => loadConfig({}, {})).toThrow(
        /Several configuration files exist: config\.json, config\.yaml/,
      )
    } finally {
      process.chdir(before)
    }
  })

  test('may be accompanied by a .env file, which the environment overrides', () => {
    const overrides = written('config.json', '{ "accounts": [{ "name": "EMEA", "appKeyEnv": "EMEA_KEY" }] }')
    writeFileSync(
      join(folder(), '.env'),
      'FAULTLINE_BASE_URL="https://dotenv.example" # here\nEMEA_KEY=k-emea\nFAULTLINE_LAKE_PASSWORD=p\n',
    )
    const [account] = loadConfig(overrides, {}).accounts
    expect(account).toMatchObject({ baseUrl: 'https://dotenv.example', appKey: 'k-emea' })
    const own = loadConfig(overrides, { FAULTLINE_BASE_URL: 'https://own.example' })
    expect(own.baseUrl).toBe('https://own.example')
  })

  test.each(['FAULTLINE_APPKEY=secret', 'FAULTLINE APP_KEY=secret', 'export FAULTLINE_APP-KEY = "secret"'])(
    'may have a .env file, where an unknown variable is rejected with a suggestion: %s',
    (line) => {
      const overrides = written('config.json', '{}')
      writeFileSync(join(folder(), '.env'), `OTHER=1\n${line}\n`)
      const { message, next } = failureOf(() => loadConfig(overrides, {}))
      expect([message, next]).toEqual([
        expect.stringMatching(/\.env: unknown variable/),
        expect.stringContaining('FAULTLINE_APP_KEY'),
      ])
      expect(message + next).not.toContain('secret')
    },
  )
})

test('`faultline config show` lists every value and its origin, but no secret', () => {
  const config = join(folder(), 'config.json')
  writeFileSync(
    config,
    `{ "warehouse": "a.duckdb",\n"sync": { "quota": 0.5 },
"delivery": { "webhook": { "url": "https://hooks.example/T0/s3cret" } },
"accounts": [{ "name": "EMEA", "appKeyEnv": "EMEA_KEY" }] }`,
  )
  writeFileSync(join(folder(), '.env'), 'EMEA_KEY=k-emea\nFAULTLINE_BASE_URL=https://u:k-pass@a.example/x\n')
  const settings = effectiveSettings(
    { config, warehouse: 'b.duckdb' },
    { FAULTLINE_APP_KEY: 'k-secret', FAULTLINE_SMTP_PASSWORD: 'k-mail' },
  )
  const of = (name: string) => settings.find(({ field }) => field === name)
  expect(of('warehouse')).toMatchObject({ value: 'b.duckdb', from: '--warehouse' })
  expect(of('sync.quota')).toMatchObject({ value: 0.5, from: 'config.json:2' })
  expect(of('sync.lookbackDays')).toMatchObject({ value: 31, from: 'default' })
  expect(of('appKey')).toMatchObject({ value: '(set, not shown)', from: 'FAULTLINE_APP_KEY' })
  expect(of('appKey of EMEA')).toMatchObject({ from: 'EMEA_KEY in .env' })
  expect(of('baseUrl')).toMatchObject({
    value: 'https://a.example/…',
    from: 'FAULTLINE_BASE_URL in .env',
  })
  expect(of('delivery.webhook.url')).toMatchObject({ value: 'https://hooks.example/…' })
  expect(JSON.stringify(settings)).not.toMatch(/k-|s3cret/)
})
