import { describe, vi } from 'vitest'
import { hasLake, postgresOfTests } from '../support/lake.ts'
import { conformance } from '../warehouse/published-conformance.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 })

describe.runIf(hasLake)('a lake', () => {
  const postgres = postgresOfTests()
  conformance({
    fresh: (name) => postgres.lake(name),
    can: { maintain: true, repair: true, putBack: false, shareJobs: true },
  })
})
