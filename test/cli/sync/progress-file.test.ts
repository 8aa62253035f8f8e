import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readProgress, trackProgress } from '../../../src/cli/sync/progress-file.ts'
import { publishedAt } from '../../support/storage.ts'
import { scratch } from '../../support/warehouse.ts'

test('the progress of a sync can be read from a file only while the sync runs', () => {
  const folder = scratch()
  const place = join(folder, 'faultline.duckdb')
  const published = publishedAt(place)
  let now = 1_000_000
  const underWay = trackProgress(published, { now: () => now })
  // The sync has not made its folder yet.
  underWay.note('0 of 12 windows')
  expect(readProgress(published)).toBeUndefined()
  mkdirSync(`${place}.sync`)
  now += 10_000
  underWay.note('6 of 12 windows')
  // This note follows too soon to be written.
  underWay.note('7 of 12 windows')
  expect(readProgress(published)).toEqual({
    pid: process.pid,
    at: new Date(now).toISOString(),
    line: '6 of 12 windows',
  })
  writeFileSync(join(`${place}.sync`, 'under-way.json'), '{"pid":')
  expect(readProgress(published)).toBeUndefined()
  // An instance that has recorded no progress, as for a plan, does not remove the progress file of another sync.
  trackProgress(published, { now: () => now }).end()
  expect(existsSync(join(`${place}.sync`, 'under-way.json'))).toBe(true)
  underWay.end()
  expect(existsSync(join(`${place}.sync`, 'under-way.json'))).toBe(false)
})
