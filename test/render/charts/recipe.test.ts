import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocks, root } from '../../support/markdown.ts'
import { sample } from '../../support/report-result.ts'
import { src } from '../../support/sources.ts'

/** Follows the recipe of CONTRIBUTING.md in a copy of the sources, with one new file and one line in the index. */
const folder = join(import.meta.dirname, '.tmp/recipe')
const recipe = blocks('CONTRIBUTING.md', 'typescript').find((text) => text.includes("z.literal('dots')"))!
const edges = ['render/to-html', 'render/to-terminal', 'render/chart-data', 'report/parse/block-schema']

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  cpSync(src, join(folder, 'src'), { recursive: true })
  writeFileSync(join(folder, 'src/render/charts/dots.ts'), recipe)
  const index = join(folder, 'src/render/charts/index.ts')
  const named = readFileSync(index, 'utf8')
    .replace('import { heatmap }', "import { dots } from './dots.ts'\nimport { heatmap }")
    .replace(/(charts = \[[^\]]*)\]/, '$1, dots]')
  writeFileSync(index, named)
  const options = {
    extends: join(root, 'tsconfig.json'),
    files: edges.map((file) => `src/${file}.ts`),
    include: [],
    compilerOptions: { rootDir: 'src', outDir: 'dist', incremental: false, tsBuildInfoFile: null },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  cpSync(join(src, 'render/style'), join(folder, 'dist/render/style'), { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a chart type added by the recipe in CONTRIBUTING.md is drawn on pages and in the terminal', async () => {
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
  expect(stdout).toBe('')
  const [html, terminal, data, schema] = await Promise.all(
    edges.map((file) => import(/* @vite-ignore */ join(folder, `dist/${file}.js`))),
  )
  const written = { type: 'dots', title: 'By team', data: 'q', x: 'open_s', y: 'team', format: 'duration' }
  const spec = schema.chartSchema.parse(written)
  expect(spec).toMatchObject({ ...written, width: 'full', rules: [] })
  expect(() => schema.chartSchema.parse({ ...written, color: 'team' })).toThrow('Unrecognized key')
  expect(JSON.stringify(schema.reportJsonSchema())).toContain('"const":"dots"')

  const block = {
    kind: 'chart',
    title: [{ kind: 'text', text: 'By team' }],
    subtitle: [],
    width: 'full',
    spec,
    rules: [],
    data: {
      name: 'q',
      sql: 'select 1',
      columns: [
        { name: 'team', type: 'VARCHAR' },
        { name: 'open_s', type: 'BIGINT' },
      ],
      rows: [
        ['search', 5400n],
        ['<b>payments</b>', 60n],
      ],
    },
  }
  expect(data.dataOf(block).columns).toMatchObject([
    { column: 'team', label: 'team', format: 'text' },
    { column: 'open_s', label: 'open', format: 'duration' },
  ])
  const result = sample({ blocks: [block as never] })
  const page = html.toHtml(result).replace(/[\u202f\u00a0]/g, ' ')
  expect(page).toContain('aria-label="Dots: By team. search 1 h 30 min, &lt;b&gt;payments&lt;/b&gt; 1 min."')
  expect(page.match(/<circle class="d0" /g)).toHaveLength(4)
  expect(page).toContain('<td class="text">search<td>1 h 30 min')
  const text = terminal.toTerminal(result, { width: 80, color: false })
  expect(text).toMatch(/ +search █+ 1 h 30 min\n/)
})
