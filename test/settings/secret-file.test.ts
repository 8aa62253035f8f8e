import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError } from '../../src/errors.ts'
import { readSecret, secretIn } from '../../src/settings/secret-file.ts'
import { folderOfEachTest } from '../support/folder.ts'

const next = 'Write the key into that file.'
const keyIn = (path: string) => readSecret(path, 'The app key', next)

const folder = folderOfEachTest()

test('a key path that is not a file is rejected without blocking the process', () => {
  const link = join(folder(), 'key')
  symlinkSync('/dev/zero', link)
  expect(() => keyIn(link)).toThrow(/^The app key cannot be read from .*key, which is not a file/)
  expect(() => secretIn(folder(), 'The password')).toThrow(/which is not a file/)
  const pipe = join(folder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  expect(() => keyIn(pipe)).toThrow(/which is not a file/)
})

test('a secret file above 64 KB is rejected', () => {
  const path = join(folder(), 'key')
  writeFileSync(path, 'x'.repeat(65_537))
  expect(() => keyIn(path)).toThrow(/contains more than 64 KB/)
  writeFileSync(path, 'x'.repeat(65_536))
  expect(keyIn(path)).toHaveLength(65_536)
})

test('an app key with a line break is rejected, but another secret may contain one', () => {
  const path = join(folder(), 'key')
  writeFileSync(path, 'one\ntwo\n')
  const error = expect(() => keyIn(path))
  error.toThrow(ConfigError)
  error.toThrow(/^The app key in .*key contains a line break/)
  expect(secretIn(path, 'The secret of the webhook')).toBe('one\ntwo')
})
