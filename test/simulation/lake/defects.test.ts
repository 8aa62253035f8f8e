import { describe, expect, test, vi } from 'vitest'
import { hasLake, postgresOfTests } from '../../support/lake.ts'
import { defects } from './defects.ts'
import { play } from './play.ts'
import { programOf } from './program.ts'
import { scripts } from './scripts.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })

/** These tests prove that the judges detect defects. A judge that never reports anything would pass every script. */
describe.runIf(hasLake)('simulations of several machines', () => {
  const postgres = postgresOfTests()

  test.concurrent.each(defects)(
    'detect a defect that is put back into the program: $what',
    async (defect) => {
      const script = scripts.find(({ name }) => name === defect.script)!
      const { folder, remove } = programOf(defect.places.map((place) => ({ ...place, what: defect.what })))
      try {
        const said = await play(script, postgres, folder)
        expect(said.map((words) => words.split(':')[0])).toEqual(expect.arrayContaining([...defect.says]))
      } finally {
        remove()
      }
    },
  )
})
