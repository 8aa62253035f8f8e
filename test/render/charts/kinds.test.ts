import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { charts } from '../../../src/render/charts/index.ts'
import { textOf } from '../../support/markdown.ts'
import { sourceFiles, src } from '../../support/sources.ts'

const names = charts.map(({ spec }) => spec.shape.type.value)

/** Each row of the table of charts, as the kind and its documented keys. */
const rows = [...textOf('reports/frame/README.md').matchAll(/^ +\| `(\w+)` \| (.*) \|$/gm)].map(
  ([, name, keys]) =>
    [name!, new Set([...keys!.matchAll(/`(\w+)(?:: \[[^`]*\])?`/g)].map(([, key]) => key!))] as const,
)

test('the table in reports/frame/README.md has a row with the exact keys of each kind of chart', () => {
  expect(rows.map(([name]) => name).sort()).toEqual([...names].sort())
  for (const { spec } of charts) {
    const { type, format: _, ...own } = spec.shape
    const named = rows.find(([name]) => name === type.value)![1]
    expect([type.value, [...named].sort()]).toEqual([type.value, Object.keys(own).sort()])
  }
})

test('each kind of chart has a file with its name and a line in the index', () => {
  const files = readdirSync(join(src, 'render/charts')).filter((file) => file !== 'index.ts')
  expect(files.sort()).toEqual(names.map((name) => `${name}.ts`).sort())
})

test('no other file checks for a specific kind of chart', () => {
  const asked = new RegExp(String.raw`(case |[!=]== ?|endsWith\()(['"\`])(${names.join('|')})\2`)
  expect(["case 'line'", "=== 'bars'", "=== 'table'"].filter((text) => asked.test(text))).toHaveLength(2)
  const wrong = sourceFiles()
    .filter(({ room, path }) => ['render', 'report'].includes(room) && !path.startsWith('render/charts/'))
    .filter(({ text }) => asked.test(text))
  expect(wrong.map(({ path }) => `src/${path} asks for a kind of chart: let its object say`)).toEqual([])
})
