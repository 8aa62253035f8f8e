import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ownCommand } from '../../src/cli/invocation.ts'
import { ownFolder } from '../support/folder.ts'

const folder = ownFolder()
const at = (...path: string[]) => join(folder, ...path)
beforeAll(() => {
  for (const path of ['checkout/sub', 'project/node_modules/.bin', 'other'])
    mkdirSync(at(path), { recursive: true })
  writeFileSync(at('checkout', 'package.json'), '{"name":"faultline"}')
  writeFileSync(at('project', 'node_modules', '.bin', 'faultline'), '')
  writeFileSync(at('other', 'package.json'), '{"name":"other"}')
})

test('a suggested command starts with npx only if the program is installed locally', () => {
  const main = at('checkout', 'dist', 'cli', 'main.js')
  expect(ownCommand(main, at('checkout', 'sub'))).toBe('npx faultline')
  expect(ownCommand(at('project', 'node_modules', '.bin', 'faultline'), at('project'))).toBe('npx faultline')
  expect(ownCommand(main, at('other'))).toBe(`node ${main}`)
  expect(ownCommand('/usr/local/bin/faultline', at('other'))).toBe('faultline')
  // npx downloaded this program, so it is not on the path.
  const cached = '/home/me/.npm/_npx/1/node_modules/.bin/faultline'
  expect(ownCommand(cached, at('other'))).toBe(`node ${cached}`)
  expect(ownCommand(at('my tools', 'main.js'), at('my tools'))).toBe('node main.js')
})
