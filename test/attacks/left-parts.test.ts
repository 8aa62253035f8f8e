import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { replaceFile } from '../../src/effects.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-parts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('parts that killed processes left go with the next writing of that file; those of the living stay', () => {
  const page = join(folder, 'mtta-mttr.html')
  // No process has such a number: Linux ends at 2^22.
  const dead = 4_194_305
  for (const name of [
    `mtta-mttr.html.${dead}.part`,
    `mtta-mttr.html.${process.ppid}.part`,
    `other.html.${dead}.part`,
  ])
    writeFileSync(join(folder, name), 'half')
  replaceFile(page, 'whole')
  expect(readdirSync(folder).sort()).toEqual(
    ['mtta-mttr.html', `mtta-mttr.html.${process.ppid}.part`, `other.html.${dead}.part`].sort(),
  )
})
