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

test('the table of charts in reports/frame/README.md lists exactly the keys of each chart type', () => {
  expect(rows.map(([name]) => name).sort()).toEqual([...names].sort())
  for (const { spec } of charts) {
    const { type, format: _, ...own } = spec.shape
    const named = rows.find(([name]) => name === type.value)![1]
    expect([type.value, [...named].sort()]).toEqual([type.value, Object.keys(own).sort()])
  }
})

test('each chart type has a file with its name and an entry in the index of render/charts', () => {
  const files = readdirSync(join(src, 'render/charts')).filter((file) => file !== 'index.ts')
  expect(files.sort()).toEqual(names.map((name) => `${name}.ts`).sort())
})

test('code outside render/charts never checks for a specific chart type', () => {
  const asked = new RegExp(String.raw`(case |[!=]== ?|endsWith\()(['"\`])(${names.join('|')})\2`)
  expect(["case 'line'", "=== 'bars'", "=== 'table'"].filter((text) => asked.test(text))).toHaveLength(2)
  const wrong = sourceFiles()
    .filter(({ room, path }) => ['render', 'report'].includes(room) && !path.startsWith('render/charts/'))
    .filter(({ text }) => asked.test(text))
  expect(wrong.map(({ path }) => `src/${path} asks for a kind of chart: let its object say`)).toEqual([])
})
