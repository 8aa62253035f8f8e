import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { foundConfig, loadConfig } from '../../src/config/config.ts'
import { readConfig } from '../../src/config/config-file.ts'

/** Nothing that a configuration said is undone by its file being gone, or empty, for a moment. */

test.each(['', '\n', '# the rules of privacy were here', 'null'])(
  'one that holds nothing was cut off, and is no set of defaults: %j',
  (text) => {
    expect(() => readConfig(text, 'c.json')).toThrow(/^c\.json is empty/)
    expect(readConfig('{}', 'c.json').data).toBeDefined()
  },
)

test('one that was found is missed when it is gone, by who reads it again', () => {
  const [folder, before] = [mkdtempSync(join(tmpdir(), 'faultline-found-')), process.cwd()]
  process.chdir(folder)
  onTestFinished(() => {
    process.chdir(before)
    rmSync(folder, { recursive: true })
  })
  expect(foundConfig({})).toEqual({})
  writeFileSync('config.json', '{ "privacy": { "drop": ["email"] } }')
  const found = foundConfig({})
  expect(loadConfig(found, {}).privacy.drop).toEqual(['email'])
  rmSync('config.json')
  expect(() => loadConfig(found, {})).toThrow(/config\.json cannot be read/)
  expect(loadConfig({}, {}).privacy.drop).toEqual([])
})
