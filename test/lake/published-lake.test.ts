import { afterAll, beforeAll, describe, vi } from 'vitest'
import { hasLake, type Postgres, startPostgres } from '../support/lake.ts'
import { conformance } from '../warehouse/published-conformance.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 })

describe.runIf(hasLake)('a lake', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.stop())
  conformance({
    fresh: (name) => postgres.lake(name),
    can: { maintain: true, repair: true, putBack: false, shareJobs: true },
  })
})
