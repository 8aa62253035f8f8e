import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { replaceFile, replaceMany } from '../../src/effects.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-parts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('writing a file removes the partial copies of that file that dead processes left', () => {
  const page = join(folder, 'mtta-mttr.html')
  // Linux process ids end at 2^22.
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

test('a failed write leaves no partial files behind', () => {
  const own = join(folder, 'failing')
  // A rename onto a folder fails like a write on a full disk.
  mkdirSync(join(own, 'taken.html'), { recursive: true })
  expect(() => replaceFile(join(own, 'taken.html'), 'page')).toThrow(/taken\.html/)
  const files = [['a.html', 'page'] as const, ['taken.html', 'page'] as const]
  expect(() => replaceMany(own, files)).toThrow(/taken\.html/)
  expect(readdirSync(own).sort()).toEqual(['a.html', 'taken.html'])
})
