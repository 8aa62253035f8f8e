import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { hasLake, postgresOfTests } from '../../support/lake.ts'
import { play } from './play.ts'
import { programOf } from './program.ts'
import type { Script } from './script.ts'
import { alone, scripts, share } from './scripts.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })

/** `unshare --pid` gives a process its own namespace of process ids. This requires Linux and root. */
const canContain = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0
if (!canContain)
  console.warn('Skipped: `unshare --pid` is not allowed here, so no machine runs as process 1.')

const chosen = (all: readonly Script[]) =>
  all.filter(({ isContained }) => canContain || !isContained).map((script) => [script.name, script] as const)

describe.runIf(hasLake)('several machines that share a lake', () => {
  const postgres = postgresOfTests()
  let program: ReturnType<typeof programOf>
  beforeAll(async () => {
    program = programOf()
  })
  afterAll(async () => {
    program?.remove()
  })

  const isKept = async (_: string, script: Script) =>
    expect(await play(script, postgres, program.folder)).toEqual([])
  const isRelease = inject('isRelease')
  describe('without a restart of PostgreSQL,', () =>
    void test.concurrent.each(chosen(isRelease ? scripts : share))('keep all accounts correct: %s', isKept))
  test.each(chosen(isRelease ? alone : alone.slice(1)))('keep all accounts correct: %s', isKept)
})
