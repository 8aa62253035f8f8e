import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chooseAccount, chooseAccounts, requireService } from '../../src/config/config.ts'
import { ConfigError } from '../../src/errors.ts'
import { failureOf, loading } from './loading.ts'

const { folder, load } = loading()
const BASE = { baseUrl: 'https://service.example' }

describe('a configuration without an `accounts` section', () => {
  test('has a single unnamed account with all fields of the configuration', () => {
    const config = load(
      { ...BASE, accountId: 7, sync: { quota: 0.5, since: '90d' } },
      { FAULTLINE_APP_KEY: 'k' },
    )
    expect(config.accounts).toEqual([
      {
        name: undefined,
        baseUrl: BASE.baseUrl,
        appKey: 'k',
        appKeyFile: undefined,
        appKeyEnv: undefined,
        accountId: 7n,
        quota: 0.5,
        since: '90d',
        schedule: undefined,
      },
    ])
    expect(chooseAccount(config, undefined)).toBe(config.accounts[0])
    expect(failureOf(() => chooseAccounts(config, 'EMEA'))).toMatchObject({
      message: '--account: no accounts are configured.',
      next: expect.stringContaining('`accounts`'),
    })
  })

  test('accepts an account id as a string, even beyond 2^53', () => {
    expect(load({ accountId: '9007199254740993' }).accountId).toBe(9_007_199_254_740_993n)
    for (const accountId of [2 ** 53, 1.5, 0, -1, '0x1', '', 'EMEA']) {
      expect(failureOf(() => load({ accountId })).message, String(accountId)).toContain(
        'accountId: expected an account id',
      )
    }
  })
})

describe('configured accounts', () => {
  const keys = () => {
    writeFileSync(join(folder(), 'emea.key'), 'of the file\n')
    return [
      { name: 'EMEA', appKeyFile: './emea.key', quota: 0.2 },
      { name: 'APAC', appKeyEnv: 'APAC_KEY', baseUrl: 'https://apac.example', since: '30d', accountId: '12' },
      { name: 'Rest of world', schedule: '0 4 * * *' },
    ]
  }

  test('inherit missing fields from the top level of the configuration', () => {
    const config = load(
      { ...BASE, appKeyFile: './none', sync: { quota: 0.9 }, accounts: keys() },
      { FAULTLINE_APP_KEY: 'common', APAC_KEY: ' of the variable ' },
    )
    expect(config.accounts).toMatchObject([
      { name: 'EMEA', baseUrl: BASE.baseUrl, quota: 0.2, since: '365d' },
      { name: 'APAC', baseUrl: 'https://apac.example', quota: 0.9, since: '30d', accountId: 12n },
      { name: 'Rest of world', quota: 0.9, schedule: '0 4 * * *' },
    ])
    expect(config.accounts.map((account) => requireService(account).appKey)).toEqual([
      'of the file',
      'of the variable',
      'common',
    ])
  })

  test('with their own key file or variable never use the common app key', () => {
    const { accounts } = load({ ...BASE, accounts: keys() }, { FAULTLINE_APP_KEY: 'common' })
    rmSync(join(folder(), 'emea.key'))
    expect(failureOf(() => requireService(accounts[0]!)).message).toContain('emea.key')
    expect(failureOf(() => requireService(accounts[1]!))).toMatchObject({
      message: 'The app key of the account "APAC" is missing.',
      next: expect.stringContaining('Set APAC_KEY'),
    })
  })

  test.each([
    [[], 'accounts'],
    [[{ name: '' }], 'accounts.0.name'],
    [[{ name: '7' }], 'accounts.0.name: expected a name that starts with a letter'],
    [[{ name: 'a,b' }], 'accounts.0.name'],
    [[{ name: 'a\u001b[31m' }], 'accounts.0.name'],
    [[{ name: 'EMEA' }, { name: 'emea' }], 'accounts.1.name: duplicate name "emea"'],
    [
      [{ name: 'a', appKeyFile: 'x', appKeyEnv: 'X' }],
      'accounts.0.appKeyEnv: expected `appKeyFile` or `appKeyEnv`',
    ],
    [[{ name: 'a', appKey: 'secret' }], 'Unknown key "appKey" in accounts.0.'],
    [[{ name: 'a', quota: 2 }], 'accounts.0.quota'],
  ])('are rejected if invalid: %j (error: %s)', (accounts, message) => {
    expect(failureOf(() => load({ accounts }))).toBeInstanceOf(ConfigError)
    expect(failureOf(() => load({ accounts })).message).toContain(message)
  })

  test('are selected by name or id', () => {
    const config = load({ accounts: keys() })
    const names = (chosen?: string) => chooseAccounts(config, chosen).map(({ name }) => name)
    expect(names()).toEqual(['EMEA', 'APAC', 'Rest of world'])
    expect(names('rest of world, emea')).toEqual(['EMEA', 'Rest of world'])
    expect(names('12')).toEqual(['APAC'])
    expect(failureOf(() => names('EMAE'))).toMatchObject({
      message: '--account: unknown account "EMAE".',
      next: 'Did you mean "EMEA"?',
    })
    expect(chooseAccount(config, 'apac').name).toBe('APAC')
    expect(failureOf(() => chooseAccount(config, undefined))).toMatchObject({
      message: 'Several accounts are configured.',
      next: 'Choose one with --account: EMEA, APAC, Rest of world.',
    })
  })
})
