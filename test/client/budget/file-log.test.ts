import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BUCKET_MS, fileLog } from '../../../src/client/budget/file-log.ts'
import { safeLog } from '../../../src/client/budget/log.ts'
import type { BudgetRecord } from '../../../src/client/budget/record.ts'

const NAME = 'a'.repeat(32)
const place = (id: string): BudgetRecord => ({
  kind: 'place',
  id,
  share: 0.57,
  at: 12.5,
  pid: 4_242,
  host: '4026531836',
})
const end = (id: string): BudgetRecord => ({ kind: 'end', id, countedAt: 99.125 })

describe('a log in a file', () => {
  let parent: string
  let folder: string
  let now: number

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'faultline-log-'))
    folder = join(parent, 'run')
    now = BUCKET_MS * 7 + 1
  })
  afterEach(() => rmSync(parent, { recursive: true }))

  const open = (clock = () => now) => fileLog(folder, () => NAME, clock)
  const fileOf = (bucket: number) => join(folder, `${NAME}.${bucket}.log`)

  it('gives everybody the same records in the same order, exact', () => {
    const [a, b] = [open(), open()]
    const records = [
      place('a.1'),
      place('b.1'),
      end('a.1'),
      { ...end('b.1'), countedAt: Number.NEGATIVE_INFINITY },
    ]
    for (const [index, record] of records.entries()) (index % 2 === 0 ? a : b).append(record as BudgetRecord)
    expect(a.read()).toEqual(records)
    expect(b.read()).toEqual(records)
    expect(open().read()).toEqual(records)
    expect(a.read()).toEqual([])
  })

  it('is for this user only, and says nothing but what records are', () => {
    open().append(place('a.1'))
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(fileOf(7)).mode & 0o777).toBe(0o600)
    expect(readFileSync(fileOf(7), 'utf8')).toBe('\np a.1 0.57 12.500 4242 4026531836\n')
  })

  it('opens nothing before it is used', () => {
    open().close()
    expect(readdirSync(parent)).toEqual([])
  })

  it('passes over what others left half done, and over what is not ours', () => {
    const a = open()
    a.append(place('a.1'))
    appendFileSync(fileOf(7), 'p b.1 0.5 12.5')
    expect(a.read()).toEqual([place('a.1')])
    a.append(place('a.2'))
    appendFileSync(fileOf(7), '\0\xff garbage\np c.1 2 1.000 1 x\np c.2 -1 1.000 1 x\ne c.3 NaN\n')
    a.append(end('a.1'))
    expect(a.read()).toEqual([place('a.2'), end('a.1')])
    expect(open().read()).toEqual([place('a.1'), place('a.2'), end('a.1')])
  })

  it('reads on where somebody emptied the file, or took it away', () => {
    const [a, b] = [open(), open()]
    for (let index = 0; index < 100; index++) a.append(place(`a.${index}`))
    a.read()
    b.read()
    truncateSync(fileOf(7))
    a.append(place('a.100'))
    expect(a.read()).toEqual([place('a.100')])
    expect(b.read()).toEqual([place('a.100')])
    b.append(end('a.100'))
    expect(a.read()).toEqual([end('a.100')])
    rmSync(fileOf(7))
    a.append(end('a.1'))
    expect(a.read()).toEqual([end('a.1')])
  })

  it('reads on from one file to the next, and one file back when it is opened', () => {
    const [a, b] = [open(), open()]
    a.append(place('a.1'))
    expect(b.read()).toEqual([place('a.1')])
    a.append(end('a.1'))
    now += BUCKET_MS
    b.append(place('b.1'))
    expect(b.read()).toEqual([end('a.1'), place('b.1')])
    expect(a.read()).toEqual([place('a.1'), end('a.1'), place('b.1')])
    expect(open().read()).toEqual([place('a.1'), end('a.1'), place('b.1')])
    now += BUCKET_MS
    expect(open().read()).toEqual([place('b.1')])
    now += 5 * BUCKET_MS
    expect(a.read()).toEqual([])
    a.append(place('a.2'))
    expect(open().read()).toEqual([place('a.2')])
  })

  it('writes once more, into the next file, what was on its way when that file began', () => {
    const b = open()
    // The clock turns between the first look and the second.
    const times = [now]
    const a = open(() => times.shift() ?? now + BUCKET_MS)
    a.append(place('a.1'))
    now += BUCKET_MS
    b.append(place('b.1'))
    expect(readFileSync(fileOf(7), 'utf8')).toContain('a.1')
    expect(b.read()).toEqual([place('a.1'), place('a.1'), place('b.1')])
    a.append(place('a.2'))
    expect(a.read().at(-1)).toEqual(place('a.2'))
  })

  it('takes old files away, and nothing else', () => {
    mkdirSync(folder, { mode: 0o700 })
    const old = [`${'b'.repeat(32)}.3.log`, 'notes.log']
    for (const name of old) {
      writeFileSync(join(folder, name), '')
      utimesSync(join(folder, name), 1, 1)
    }
    writeFileSync(join(folder, `${'c'.repeat(32)}.3.log`), '')
    open().append(place('a.1'))
    expect(readdirSync(folder).sort()).toEqual([`${NAME}.7.log`, `${'c'.repeat(32)}.3.log`, 'notes.log'])
  })

  describe('that cannot be shared', () => {
    const warnings: string[] = []
    const safe = () => safeLog(open(), (message) => void warnings.push(message))
    beforeEach(() => void warnings.splice(0))

    function expectAlone(reason: RegExp) {
      const log = safe()
      log.append(place('a.1'))
      log.append(end('a.1'))
      expect(log.isShared).toBe(false)
      expect(log.read()).toEqual([place('a.1'), end('a.1')])
      expect(log.read()).toEqual([])
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toMatch(reason)
    }

    it('because the folder cannot be made', () => {
      folder = join(parent, 'none', 'run')
      expectAlone(/not shared .*ENOENT/)
    })

    it('because others can write to the folder', () => {
      mkdirSync(folder)
      chmodSync(folder, 0o777)
      expectAlone(/others can write to /)
    })

    it('because the folder leads elsewhere', () => {
      symlinkSync(parent, folder)
      expectAlone(/is no folder/)
    })

    it('because the file leads elsewhere', () => {
      mkdirSync(folder, { mode: 0o700 })
      symlinkSync(join(parent, 'victim'), fileOf(7))
      expectAlone(/ELOOP/)
      expect(readdirSync(parent)).toEqual(['run'])
    })

    it('because somebody filled the file', () => {
      mkdirSync(folder, { mode: 0o700 })
      writeFileSync(fileOf(7), Buffer.alloc(33 * 1024 * 1024))
      const log = safe()
      log.append(place('a.1'))
      expect(log.read()).toEqual([place('a.1')])
      expect(warnings[0]).toMatch(/is not ours/)
    })

    it('any more keeps what it has written and not read', () => {
      const log = safe()
      log.append(place('a.1'))
      expect(log.read()).toEqual([place('a.1')])
      log.append(end('a.1'))
      rmSync(folder, { recursive: true })
      writeFileSync(folder, '')
      now += BUCKET_MS
      expect(log.read()).toEqual([end('a.1')])
      expect(log.isShared).toBe(false)
    })
  })
})
