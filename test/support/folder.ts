import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Creates a folder that is removed after the tests of the file, or of the `describe` that calls this. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
