import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openReader } from '../../support/storage.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-none-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the error for a missing warehouse suggests a sync', async () => {
  const path = join(folder, 'none.duckdb')
  await expect(openReader(path)).rejects.toMatchObject({
    message: `No warehouse found at ${path}.`,
    next: 'Run `faultline sync` first, or specify another file with --warehouse.',
  })
})

test('the error for a missing warehouse mentions a first sync that has not ended', async () => {
  const path = join(folder, 'begun.duckdb')
  mkdirSync(`${path}.sync`)
  writeFileSync(`${path}.sync/7.duckdb`, '')
  await expect(openReader(path)).rejects.toMatchObject({
    message: `No warehouse found at ${path} yet.`,
    next: expect.stringContaining('which continues it'),
  })
})
