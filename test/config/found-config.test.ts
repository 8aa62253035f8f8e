import { rmSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { foundConfig, loadConfig } from '../../src/config/config.ts'
import { readConfig } from '../../src/config/config-file.ts'
import { ownFolder } from '../support/folder.ts'

const folder = ownFolder()

/** A file that is briefly missing or empty must not reset the settings that it contained. */

test.each(['', '\n', '# the rules of privacy were here', 'null'])(
  'an empty configuration file is an error, not a configuration of defaults: %j',
  (text) => {
    expect(() => readConfig(text, 'c.json')).toThrow(/^c\.json is empty/)
    expect(readConfig('{}', 'c.json').data).toBeDefined()
  },
)

test('a configuration file that is deleted after it was found is reported as missing', () => {
  const before = process.cwd()
  process.chdir(folder)
  onTestFinished(() => process.chdir(before))
  expect(foundConfig({})).toEqual({})
  writeFileSync('config.json', '{ "privacy": { "drop": ["email"] } }')
  const found = foundConfig({})
  expect(loadConfig(found, {}).privacy.drop).toEqual(['email'])
  rmSync('config.json')
  expect(() => loadConfig(found, {})).toThrow(/config\.json cannot be read/)
  expect(loadConfig({}, {}).privacy.drop).toEqual([])
})
