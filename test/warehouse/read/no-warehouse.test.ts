import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openReader } from '../../support/storage.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-none-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the next step is a sync if no sync has run', async () => {
  const path = join(folder, 'none.duckdb')
  await expect(openReader(path)).rejects.toMatchObject({
    message: `No warehouse found at ${path}.`,
    next: 'Run `faultline sync` first, or specify another file with --warehouse.',
  })
})

test('the first sync is reported if it is running or was killed', async () => {
  const path = join(folder, 'begun.duckdb')
  mkdirSync(`${path}.sync`)
  writeFileSync(`${path}.sync/7.duckdb`, '')
  await expect(openReader(path)).rejects.toMatchObject({
    message: `No warehouse found at ${path} yet.`,
    next: expect.stringContaining('which continues it'),
  })
})
