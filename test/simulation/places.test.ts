import { describe, expect, it } from 'vitest'
import { found } from './copied-program.ts'
import { defects } from './defects.ts'
import { defects as ofMany } from './lake/defects.ts'
import { SHORT } from './lake/program.ts'

const places = [
  ...defects,
  ...SHORT,
  ...ofMany.flatMap(({ what, places }) => places.map((place) => ({ what, ...place }))),
]

describe('a text that a simulated defect replaces', () => {
  it('occurs exactly once in the built program', () => {
    for (const place of places) expect(found(place).path, place.what).toBeTruthy()
    const nowhere = { what: 'a defect', file: 'bin/parts/', from: 'nobody wrote this', to: '' }
    expect(() => found(nowhere)).toThrow('a defect: bin/parts/ has not one place nobody wrote this')
  })
})
