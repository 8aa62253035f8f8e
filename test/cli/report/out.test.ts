import { expect, test } from 'vitest'
import { outFolder } from '../../../src/cli/report/out.ts'
import { folderName } from '../../../src/delivery/folder-name.ts'
import { teamsFolder } from '../../../src/delivery/team-pages.ts'
import type { Reader } from '../../../src/warehouse/read/reader.ts'

test.each([
  [{}, 'out'],
  [{ team: 'all' }, 'out'],
  [{ team: 'Payments', out: 'there' }, 'there'],
])('pages of %j go to %s, whatever teams there are', async (flags, folder) => {
  expect(await outFolder({} as Reader, { out: 'out' }, flags)).toBe(folder)
})

test('no name leads out of the folder, and names that only look alike do not meet', () => {
  const names = ['../../etc', '..', '/', 'a/b', 'a b', 'a_b', 'A.B', '\u202e', ' ', 'a\u200bb', 'CON.html']
  const folders = names.map(folderName)
  expect(new Set(folders).size).toBe(names.length)
  for (const folder of folders) expect(folder).toMatch(/^[\p{L}\p{N}-]+$/u)
})

test('several teams together have a folder of no team, in whatever order they are named', () => {
  expect(teamsFolder('out', ['b', 'a'])).toBe(teamsFolder('out', ['a', 'b']))
  expect(teamsFolder('out', ['a', 'b'])).not.toBe(teamsFolder('out', ['a, b']))
  expect(teamsFolder('out', ['a', 'b'])).toMatch(/_x[0-9a-f]{6}$/)
})
