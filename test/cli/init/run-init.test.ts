import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type InitOptions, runInit } from '../../../src/cli/init/run-init.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { configJsonSchema } from '../../../src/config/config-file.ts'
import { ConfigError } from '../../../src/errors.ts'
import { listening } from '../../support/console.ts'

let folder: string
let config: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-init-'))
  config = join(folder, 'config.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const baseUrl = 'https://service.example'

async function init(
  flags: InitOptions = {},
  overrides: { baseUrl?: string; warehouse?: string } = { baseUrl },
) {
  const context = listening({ config, ...overrides })
  const status = await runInit(context, { yes: true, ...flags })
  return { ...context, status, text: context.results.join('\n') }
}

describe('`faultline init`', () => {
  test('writes a valid configuration and its JSON schema into one folder', async () => {
    const { status, text } = await init({ timezone: 'Europe/Berlin', since: '90d' })
    expect(status).toBe(0)
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'config.schema.json'])
    const written = loadConfig({ config }, {})
    expect(written).toMatchObject({ baseUrl, timezone: 'Europe/Berlin', sync: { since: '90d' } })
    expect(written.warehouse).toBe(join(folder, 'faultline.duckdb'))
    expect(JSON.parse(readFileSync(config, 'utf8')).$schema).toBe('./config.schema.json')
    expect(JSON.parse(readFileSync(join(folder, 'config.schema.json'), 'utf8'))).toEqual(configJsonSchema())
    expect(text).toContain('FAULTLINE_APP_KEY')
  })

  test.skipIf(process.platform === 'win32')(
    'makes the configuration readable only by its owner, whatever the umask',
    async () => {
      const mask = process.umask(0)
      try {
        await init()
      } finally {
        process.umask(mask)
      }
      expect(statSync(config).mode & 0o777).toBe(0o600)
    },
  )

  test('overwrites a configuration only with --force', async () => {
    writeFileSync(config, '{"out": "mine"}')
    await expect(init()).rejects.toThrow(/already exists/)
    expect(readFileSync(config, 'utf8')).toBe('{"out": "mine"}')
    expect((await init({ force: true })).status).toBe(0)
    expect(loadConfig({ config }, {}).baseUrl).toBe(baseUrl)
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'config.schema.json'])
  })

  test('does not overwrite a schema file of another program', async () => {
    writeFileSync(join(folder, 'config.schema.json'), '{}')
    await expect(init()).rejects.toThrow(/config\.schema\.json already exists/)
    expect(readdirSync(folder)).toEqual(['config.schema.json'])
  })

  test('requires the service address as an option if no terminal is available', async () => {
    await expect(init({}, {})).rejects.toThrow(ConfigError)
    expect(readdirSync(folder)).toEqual([])
  })

  test.each<[string, InitOptions, string]>([
    ['an invalid address', {}, 'service.example'],
    ['an invalid time zone', { timezone: 'Berlin' }, baseUrl],
    ['an invalid start of the data', { since: 'always' }, baseUrl],
    ['a key without a key file', { readKey: true }, baseUrl],
    ['a key as the key file path', { appKeyFile: '0f8a2c6e4b1d4a7f9e3c5b7d9f1a2c4e' }, baseUrl],
    ['a key file path in a missing folder', { appKeyFile: 'no/such/folder/app-key' }, baseUrl],
  ])('rejects %s without writing anything', async (_, flags, address) => {
    await expect(init(flags, { baseUrl: address })).rejects.toThrow(ConfigError)
    expect(readdirSync(folder)).toEqual([])
  })

  test('configures an existing key file without changing the file', async () => {
    const appKeyFile = join(folder, 'app-key')
    writeFileSync(appKeyFile, 'k-secret\n')
    const { text } = await init({ appKeyFile })
    expect(loadConfig({ config }, {}).appKeyFile).toBe(appKeyFile)
    expect(text).not.toContain('FAULTLINE_APP_KEY')
    expect(readFileSync(appKeyFile, 'utf8')).toBe('k-secret\n')
  })
})
