import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach } from 'vitest'

const newFolder = () => mkdtempSync(join(tmpdir(), 'faultline-'))
const remove = (folder: string) => rmSync(folder, { recursive: true, force: true })

/** Creates a folder that is removed after the tests of the file, or of the `describe` that calls this. */
export function ownFolder(): string {
  const folder = newFolder()
  afterAll(() => remove(folder))
  return folder
}

/** Creates a folder before each test, which is removed after the test. @returns a function that returns its path */
export function folderOfEachTest(): () => string {
  let folder = ''
  beforeEach(() => {
    folder = newFolder()
  })
  afterEach(() => remove(folder))
  return () => folder
}
