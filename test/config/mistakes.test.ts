import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { readConfig } from '../../src/config/config-file.ts'
import { unreadable } from '../../src/settings/secret-file.ts'
import { run } from '../support/cli.ts'
import { ownFolder } from '../support/folder.ts'

const folder = ownFolder()
beforeAll(() => {
  mkdirSync(join(folder, 'own'))
  writeFileSync(join(folder, 'own', 'my-team.md'), '---\ntitle: T\n---\nText.\n')
})

const WRONG = `timezone: Europe/Berln
reports: ./own
sync:
  quota: 2
schedule:
  sync: "30 25 * * *"
  timezone: Amerca/New_York
  reports:
    my-team: "0 8 * * MON"
    my-taem: false
    severity-trnd: "0 8 * *"
delivery:
  mail:
    host: mail.example
    from: faultline@company.example
    to: sre@company
reporting:
  targets:
    teams: { Web: { Critcal: { ack: 5m } } }
`

/** The message for each line, with its advice. */
const TOLD: [line: number, words: RegExp][] = [
  [1, /timezone: expected an IANA time zone.*Did you mean "Europe\/Berlin"\?/],
  [4, /sync\.quota/],
  [6, /schedule\.sync: invalid cron expression "30 25 \* \* \*": 25 is not a valid hour\..*Use minute, hour/],
  [7, /schedule\.timezone: .*Did you mean "America\/New_York"\?/],
  [10, /schedule\.reports: unknown report "my-taem"\. Did you mean "my-team"\?/],
  [11, /schedule\.reports\.severity-trnd: expected a cron expression of five fields/],
  [11, /schedule\.reports: unknown report "severity-trnd"\. Did you mean "severity-trend"\?/],
  [16, /delivery\.mail\.to: expected one address/],
  [19, /Unknown key "Critcal" in reporting\.targets\.teams\.Web\. Did you mean "Critical"\?/],
]

test.each([['config', 'show'], ['sync', '--plan'], ['report', 'list'], ['status']])(
  '`faultline %s` reports all configuration errors together, with their lines, and exits with 2',
  async (...words) => {
    const config = join(folder, 'config.yaml')
    writeFileSync(config, WRONG)
    const { code, err } = await run([...words, '--config', config], {}, folder)
    expect(code).toBe(2)
    const lines = err.split('\n').filter((line) => line.startsWith(`${config}:`))
    expect(lines).toHaveLength(TOLD.length)
    for (const [line, told] of TOLD)
      expect(
        lines.filter((one) => one.startsWith(`${config}:${line}:`) && told.test(one)),
        String(told),
      ).toHaveLength(1)
  },
)

test('an unreadable configuration file is reported with its mode and the current user', () => {
  const config = join(folder, 'private.json')
  writeFileSync(config, '{}', { mode: 0o600 })
  const denied = Object.assign(new Error('denied'), { code: 'EACCES' })
  expect(unreadable(config, denied, 1000)).toMatch(
    /mode 0600, but this process runs as user 1000\. Run chmod 0644/,
  )
  expect(unreadable(join(folder, 'none.json'), denied, 1000)).toBe('Check the path and its permissions.')
})

test('a configuration with the schedule @weekly and a recipient on this machine is accepted', async () => {
  const config = join(folder, 'right.yaml')
  writeFileSync(
    config,
    WRONG.replace('Berln', 'Berlin')
      .replace('quota: 2', 'quota: 1')
      .replace('30 25', '30 23')
      .replace('Amerca', 'America')
      .replace(/\n {4}my-taem.*\n.*/, '\n    severity-trend: "@weekly"')
      .replace('Critcal', 'Critical')
      .replace('sre@company', '["Ops <ops@company.example>", root@localhost]'),
  )
  const { code, err } = await run(['config', 'show', '--config', config], {}, folder)
  expect([code, err]).toEqual([0, ''])
})

test.each(['{ "sync": { "memoryLimit": "much" } }', '{ "reporting": { "memoryLimit": 512 } }'])(
  'an invalid memory limit is reported once: %s',
  (text) => {
    expect(() => readConfig(text, 'c.json')).toThrow(
      /^c\.json:1: .*\.memoryLimit: expected a size such as 512MB\.$/,
    )
  },
)

test.each([
  '{ "reporting":\n{ "dimensions": { "__proto__": "label.x" } } }',
  'reporting:\n  targets: { teams: { __proto__: {} } }\n',
  '{ "sync": {},\n"__proto__": {} }',
])('a configuration key that JavaScript reserves is rejected with the line number: %j', (text) => {
  expect(() => readConfig(text, 'c.json')).toThrow('c.json:2: The key "__proto__" is reserved.')
})

test.each([
  [':memory:', /A warehouse in memory/],
  ['md:foo', /"md:…" is not a local file/],
  ['https://a.example/w.duckdb', /is not a local file/],
  ['s3://bucket/w.duckdb', /is not a local file/],
  ['~/x.duckdb', /begins with ~/],
])('a `warehouse` that is neither a local file nor a lake is rejected: %s', (warehouse, message) => {
  const config = join(folder, 'place.json')
  writeFileSync(config, JSON.stringify({ warehouse }))
  expect(() => loadConfig({ config }, {})).toThrow(message)
  expect(() => loadConfig({ warehouse }, {})).toThrow(message)
})

test.each(['./md:foo', 'C:/w.duckdb', '10:30.duckdb', 'a~b.duckdb'])(
  'a local file with an unusual name is a valid warehouse: %s',
  (warehouse) => {
    expect(String(loadConfig({ warehouse }, {}).warehouse)).toBe(resolve(warehouse))
  },
)

test.each([
  ['{ "sync": { "quota": 5e-324 } }', 'c.json:1: sync.quota: expected a quota from 0.001 to 1.'],
  ['{ "sync": { "quota": 1.5 } }', 'c.json:1: sync.quota: expected a quota from 0.001 to 1.'],
  [
    '{ "accounts": [{ "name": "A", "quota": 0 }] }',
    'c.json:1: accounts.0.quota: expected a quota from 0.001 to 1.',
  ],
  ['{ "sync": { "memoryLimit": "1KB" } }', /^c\.json:1: sync\.memoryLimit: DuckDB needs 64MB or more/],
  ['{ "sync": { "memoryLimit": "63.9 mb" } }', /64MB or more/],
  ['{ "reporting": { "memoryLimit": "61MiB" } }', /^c\.json:1: reporting\.memoryLimit: .*64MB or more/],
])('a quota or memory limit out of range is rejected: %s', (text, message) => {
  expect(() => readConfig(text, 'c.json')).toThrow(message)
})

test.each([
  ['{ "appKeyFile": "" }', 'c.json:1: appKeyFile: expected a non-empty string.'],
  ['{ "reports": true }', 'c.json:1: reports: expected a non-empty string.'],
  ['{ "warehouse": "" }', 'c.json:1: warehouse: expected a non-empty string.'],
  ['{ "out": 7 }', 'c.json:1: out: expected a non-empty string.'],
  ['{ "privacy": { "drop": [""] } }', 'c.json:1: privacy.drop.0: expected a non-empty string.'],
  ['{ "publishSql": "yes" }', 'c.json:1: publishSql: expected true or false.'],
])('an empty value or a value of the wrong type is rejected with the expected type: %s', (text, message) => {
  expect(() => readConfig(text, 'c.json')).toThrow(message)
})

test('the smallest valid quota and memory limits are accepted', () => {
  const text =
    '{ "sync": { "quota": 0.001, "memoryLimit": "64MB" }, "reporting": { "memoryLimit": "0.1 TiB" } }'
  expect(readConfig(text, 'c.json').data.sync).toMatchObject({ quota: 0.001, memoryLimit: '64MB' })
})
