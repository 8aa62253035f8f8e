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

/** The wings are loaded on demand, so that commands that do not use them do not load them. */
const files = sourceFiles()

test('imports of types are distinguished from imports that load a file', () => {
  const text = `import type { A } from './a.ts'\nexport type { B } from './b.ts'\nimport { type C } from './c.ts'
export { d } from './d.ts'\nimport './e.ts'\nconst f = await import('./f.ts')\nlet g: import('./g.ts').G`
  expect(staticImportsOf(text)).toEqual(['./c.ts', './d.ts', './e.ts'])
  expect(importsOf(text)).toHaveLength(7)
})

/** Returns rooms outside of a wing, with the wing that they import. */
function visitsOf(importsIn: (text: string) => string[]): [file: SourceFile, wing: string][] {
  return files.flatMap((file) =>
    importsIn(file.text)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => roomOf(targetOf(file, specifier)))
      .filter((room) => room in wings && room !== file.room)
      .map((room): [SourceFile, string] => [file, room]),
  )
}

test('code outside a wing does not import the wing statically, except for types', () => {
  const wrong = visitsOf(staticImportsOf).map(
    ([{ path }, wing]) => `src/${path} imports ${wing}: use import()`,
  )
  expect(wrong).toEqual([])
})

test('only the folders listed in the map load a wing', () => {
  const visits = visitsOf(importsOf)
  const wrong = visits.filter(([{ room }, wing]) => !wings[wing]!.includes(room))
  expect(wrong.map(([{ path }, wing]) => `src/${path} imports ${wing}`)).toEqual([])
  for (const [wing, entries] of Object.entries(wings)) {
    const from = visits.filter(([, visited]) => visited === wing).map(([{ room }]) => room)
    expect([...new Set(from)].sort(), wing).toEqual([...entries].sort())
  }
})

test('code for only lakes or only files is reached through a Published, which only sdk/resolve-storage.ts creates', () => {
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
