import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigError } from '../../src/errors.ts'
import { readSecret, secretIn } from '../../src/settings/secret-file.ts'

const next = 'Write the key into that file.'
const keyIn = (path: string) => readSecret(path, 'The app key', next)

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-secret-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a key path that is not a file is rejected without blocking the process', () => {
  const link = join(newFolder(), 'key')
  symlinkSync('/dev/zero', link)
  expect(() => keyIn(link)).toThrow(/^The app key cannot be read from .*key, which is not a file/)
  expect(() => secretIn(newFolder(), 'The password')).toThrow(/which is not a file/)
  const pipe = join(newFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  expect(() => keyIn(pipe)).toThrow(/which is not a file/)
})

test('a secret file above 64 KB is rejected', () => {
  const path = join(newFolder(), 'key')
  writeFileSync(path, 'x'.repeat(65_537))
  expect(() => keyIn(path)).toThrow(/contains more than 64 KB/)
  writeFileSync(path, 'x'.repeat(65_536))
  expect(keyIn(path)).toHaveLength(65_536)
})

test('an app key with a line break is rejected, but another secret may contain one', () => {
  const path = join(newFolder(), 'key')
  writeFileSync(path, 'one\ntwo\n')
  const error = expect(() => keyIn(path))
  error.toThrow(ConfigError)
  error.toThrow(/^The app key in .*key contains a line break/)
  expect(secretIn(path, 'The secret of the webhook')).toBe('one\ntwo')
})
