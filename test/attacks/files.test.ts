import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { replaceFile, replaceMany } from '../../src/effects.ts'
import { makeFolder, warehouseFiles } from '../../src/warehouse/file/files.ts'
import { noteReportRun } from '../../src/warehouse/read/report-runs.ts'
import { scratch } from '../support/warehouse.ts'

/** Higher than any process id. */
const DEAD = 999_999_999

let folder: string
let mask: number
beforeEach(() => {
  folder = scratch()
  writeFileSync(join(folder, 'victim'), 'precious')
  mask = process.umask(0)
})
afterEach(() => void process.umask(mask))

const mode = (...path: string[]) => statSync(join(folder, ...path)).mode & 0o777
const run = { report: 'a', figures: [] } as never
const by = { version: '0', now: 0 }

describe.skipIf(process.platform === 'win32')(
  'a symbolic link planted at a path that Faultline writes',
  () => {
    test('is replaced, and its target stays unchanged', () => {
      const page = join(folder, 'page.html')
      for (const name of ['page.html', `page.html.${process.pid}.part`, `page.html.${DEAD}.part`])
        symlinkSync('victim', join(folder, name))
      const others = [`page.html.${process.ppid}.part`, `other.html.${DEAD}.part`]
      for (const name of others) writeFileSync(join(folder, name), 'half')
      replaceFile(page, 'text')
      expect(readFileSync(page, 'utf8')).toBe('text')
      expect(lstatSync(page).isSymbolicLink()).toBe(false)
      expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('precious')
      expect(readdirSync(folder).sort()).toEqual(['page.html', 'victim', ...others].sort())
    })

    test.skipIf(process.getuid?.() !== 0)(
      'is rejected if another user planted it in place of the sync folder',
      () => {
        const files = warehouseFiles(join(folder, 'w.duckdb'))
        const elsewhere = join(folder, 'elsewhere')
        mkdirSync(elsewhere, { mode: 0o755 })
        symlinkSync('elsewhere', files.folder)
        // A link of the owner is accepted, because it may point to another disk.
        makeFolder(files)
        expect(mode('elsewhere')).toBe(0o700)
        chmodSync(elsewhere, 0o755)
        lchownSync(files.folder, 4_242, 4_242)
        expect(() => makeFolder(files)).toThrow(/is a link owned by another user/)
        expect(mode('elsewhere')).toBe(0o755)
      },
    )

    test('is not followed when Faultline appends to a file', () => {
      const ledger = join(folder, 'w.duckdb.report-runs.ndjson')
      symlinkSync('victim', ledger)
      expect(() => noteReportRun(warehouseFiles(join(folder, 'w.duckdb')), run, by)).toThrow(/ELOOP|link/)
      expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('precious')
    })
  },
)

describe.skipIf(process.platform === 'win32')('Faultline', () => {
  test.each([
    [0, 0o644, 0o755],
    [0o077, 0o600, 0o700],
    [0o022, 0o644, 0o755],
  ])(
    'never lets other users change its files, even with the umask %i (decimal)',
    (umask, file, directory) => {
      process.umask(umask)
      replaceFile(join(folder, 'out', 'report', 'a.csv'), 'a')
      expect([mode('out'), mode('out', 'report'), mode('out', 'report', 'a.csv')]).toEqual([
        directory,
        directory,
        file,
      ])
    },
  )

  test('records report runs in a file that only its owner can read', () => {
    noteReportRun(warehouseFiles(join(folder, 'w.duckdb')), run, by)
    expect(mode('w.duckdb.report-runs.ndjson')).toBe(0o600)
  })

  test('removes a partial file only if the process that wrote it is dead', () => {
    const others = [`a.html.${process.ppid}.part`, `b.html.${DEAD}.part`, 'a.html.part', 'a.html.1x.part']
    for (const name of [`a.html.${DEAD}.part`, ...others]) writeFileSync(join(folder, name), '')
    replaceFile(join(folder, 'a.html'), 'text')
    expect(readdirSync(folder).sort()).toEqual(['a.html', 'victim', ...others].sort())
  })
})

test('a failed write leaves no partial files behind', () => {
  // A rename onto a folder fails like a write on a full disk.
  mkdirSync(join(folder, 'taken.html'))
  expect(() => replaceFile(join(folder, 'taken.html'), 'page')).toThrow(/taken\.html/)
  const files = [['a.html', 'page'] as const, ['taken.html', 'page'] as const]
  expect(() => replaceMany(folder, files)).toThrow(/taken\.html/)
  expect(readdirSync(folder).sort()).toEqual(['a.html', 'taken.html', 'victim'])
})
