import { expect, test } from 'vitest'
import { asksFileOrLake, mayKnow, wings } from './support/house-map.ts'
import {
  importsOf,
  roomOf,
  type SourceFile,
  sourceFiles,
  staticImportsOf,
  targetOf,
} from './support/sources.ts'

/** A wing is a folder of src/ that only the commands that use it load. */
const files = sourceFiles()

test('the import scanner distinguishes imports of types from imports that load a file', () => {
  const text = `import type { A } from './a.ts'\nexport type { B } from './b.ts'\nimport { type C } from './c.ts'
export { d } from './d.ts'\nimport './e.ts'\nconst f = await import('./f.ts')\nlet g: import('./g.ts').G`
  expect(staticImportsOf(text)).toEqual(['./c.ts', './d.ts', './e.ts'])
  expect(importsOf(text)).toHaveLength(7)
})

/** Returns each file outside of a wing that imports the wing. */
function visitsOf(importsIn: (text: string) => string[]): [file: SourceFile, wing: string][] {
  return files.flatMap((file) =>
    importsIn(file.text)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => roomOf(targetOf(file, specifier)))
      .filter((room) => room in wings && room !== file.room)
      .map((room): [SourceFile, string] => [file, room]),
  )
}

test('a folder that is loaded on demand (a wing) is imported statically only for types', () => {
  const wrong = visitsOf(staticImportsOf).map(
    ([{ path }, wing]) => `src/${path} imports ${wing}: use import()`,
  )
  expect(wrong).toEqual([])
})

test('only the folders listed in house-map.ts load a folder on demand (a wing)', () => {
  const visits = visitsOf(importsOf)
  const wrong = visits.filter(([{ room }, wing]) => !wings[wing]!.includes(room))
  expect(wrong.map(([{ path }, wing]) => `src/${path} imports ${wing}`)).toEqual([])
  for (const [wing, entries] of Object.entries(wings)) {
    const from = visits.filter(([, visited]) => visited === wing).map(([{ room }]) => room)
    expect([...new Set(from)].sort(), wing).toEqual([...entries].sort())
  }
})

test('only sdk/resolve-storage.ts chooses between the code for files and the code for lakes', () => {
  const wrong = files.flatMap((file) =>
    file.imports
      .filter((one) => one.startsWith('.') && !mayKnow(file.path, targetOf(file, one)))
      .map((one) => `src/${file.path} imports ${one}: receive what resolveStorage(…) of sdk/ returns`),
  )
  expect(wrong).toEqual([])
  const asking = files.filter(
    ({ room, text }) => !['config', 'settings'].includes(room) && asksFileOrLake(text),
  )
  expect(asking.map(({ path }) => path)).toEqual(['sdk/resolve-storage.ts'])
})
