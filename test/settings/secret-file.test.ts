import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
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

function pipe(): string {
  const path = join(newFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  return path
}

/** Starts a writer as a separate process, like `<(…)` in a shell, because `keyIn` blocks this process. */
async function writes(script: string, path: string): Promise<void> {
  const writer = spawn('sh', ['-c', script, 'sh', path], { stdio: 'ignore' })
  onTestFinished(() => void writer.kill())
  await once(writer, 'spawn')
}

test('a secret in a pipe is read even if the pipe is slow, and can be read again', async () => {
  const path = pipe()
  await writes('exec >"$1"; printf se; sleep 0.3; echo cret', path)
  expect([keyIn(path), keyIn(path)]).toEqual(['secret', 'secret'])
})

test('a pipe that nobody writes to causes an error and does not block', () => {
  expect(() => keyIn(pipe())).toThrow(/^The app key cannot be read from .*pipe, a pipe into which nothing/)
})

test('a path that is neither a file nor a pipe is refused', () => {
  const link = join(newFolder(), 'key')
  symlinkSync('/dev/zero', link)
  expect(() => keyIn(link)).toThrow(
    /^The app key cannot be read from .*key, which is neither a file nor a pipe/,
  )
  expect(() => secretIn(newFolder(), 'The password')).toThrow(/neither a file nor a pipe/)
})

test('a file or pipe that is far too large for a secret is rejected', async () => {
  const path = join(newFolder(), 'key')
  writeFileSync(path, 'x'.repeat(65_537))
  expect(() => keyIn(path)).toThrow(/contains more than 64 KB/)
  writeFileSync(path, 'x'.repeat(65_536))
  expect(keyIn(path)).toHaveLength(65_536)
  const endless = pipe()
  await writes('exec cat /dev/zero >"$1"', endless)
  expect(() => keyIn(endless)).toThrow(/contains more than 64 KB/)
})

test('an app key that contains a line break is rejected, but other secrets may contain line breaks', () => {
  const path = join(newFolder(), 'key')
  writeFileSync(path, 'one\ntwo\n')
  const error = expect(() => keyIn(path))
  error.toThrow(ConfigError)
  error.toThrow(/^The app key in .*key contains a line break/)
  expect(secretIn(path, 'The secret of the webhook')).toBe('one\ntwo')
})
