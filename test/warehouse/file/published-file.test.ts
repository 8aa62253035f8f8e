import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import { scratch } from '../../support/warehouse.ts'
import { conformance } from '../published-conformance.ts'

describe('a warehouse in a file', () => {
  const folder = scratch()
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  conformance({
    fresh: (name) => join(folder, `it’s a "${name}".duckdb`),
    can: { maintain: false, repair: false, putBack: true, shareJobs: false },
  })
})
