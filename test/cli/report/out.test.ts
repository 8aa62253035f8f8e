import { join } from 'node:path'
import { expect, test } from 'vitest'
import { outFolder } from '../../../src/cli/report/out.ts'

test.each([
  [{}, 'out'],
  [{ team: 'all' }, 'out'],
  [{ team: 'Payments Platform' }, join('out', 'teams', 'payments-platform')],
  [{ team: 'Payments', out: 'there' }, 'there'],
  [{ team: '支払い' }, join('out', 'teams', '支払い')],
])('pages of %j go to %s', (flags, folder) => {
  expect(outFolder('out', flags)).toBe(folder)
})

test('no name leads out of the folder, and names that look alike do not meet', () => {
  const names = ['../../etc', '..', '/', 'a/b', 'a b', 'a_b', 'A.B', '\u202e']
  const folders = names.map((team) => outFolder('out', { team }))
  expect(new Set(folders).size).toBe(names.length)
  for (const folder of folders) expect(folder).toMatch(/^out.teams.[\p{L}\p{N}-]+$/u)
})
