import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { hasLake, type Postgres, startPostgres } from '../../support/lake.ts'
import { play } from './play.ts'
import { programOf } from './program.ts'
import type { Script } from './script.ts'
import { alone, scripts } from './scripts.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })

/** A few of them where there is not much time. */
const chosen = (all: readonly Script[]) => all.filter(({ isQuick }) => isQuick || inject('isLarge'))

describe.runIf(hasLake)('many machines', () => {
  let postgres: Postgres
  let program: ReturnType<typeof programOf>
  beforeAll(async () => {
    postgres = await startPostgres()
    program = programOf()
  })
  afterAll(async () => {
    await postgres?.stop()
    program?.remove()
  })

  const isKept = async (script: Script) => expect(await play(script, postgres, program.folder)).toEqual([])
  describe('beside each other', () => void test.concurrent.each(chosen(scripts))('$name', isKept))
  test.each(chosen(alone))('$name', isKept)
})
