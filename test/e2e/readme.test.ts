import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { run } from '../support/cli.ts'
import { blocks, pages, root, textOf } from '../support/markdown.ts'
import { openReader } from '../support/storage.ts'
import { scratch, warehouseFile } from '../support/warehouse.ts'

const docs = pages.filter((path) => /(^|\/)(README|CONTRIBUTING|SECURITY)\.md$/.test(path))

test('README leads to every guide, directly or through another guide', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThan(200)
  const reached = new Set(['README.md'])
  for (const page of reached) {
    for (const [, link] of textOf(page).matchAll(/\]\(([^)#]+\.md)(?:#[^)]*)?\)/g)) {
      const path = join(dirname(page), link!)
      if (!link!.startsWith('http') && existsSync(join(root, path))) reached.add(path)
    }
  }
  expect(docs.filter((page) => !reached.has(page) && !/^test\/attacks/.test(page))).toEqual([])
})

describe.each(docs)('%s', (page) => {
  test('links to existing files', () => {
    const links = [...textOf(page).matchAll(/\]\((?!http|#|mailto)([^)#\s]+)/g)].map(([, link]) => link!)
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([])
  })

  test('links to existing headings', () => {
    const links = [...textOf(page).matchAll(/\]\((?!http)([^)#\s]*)#([^)\s]+)\)/g)]
    const wrong = links.filter(([, link, heading]) => {
      const target = link === '' ? page : join(dirname(page), link!)
      const headings = [...textOf(target).matchAll(/^#+ (.*)$/gm)].map(([, text]) =>
        text!
          .toLowerCase()
          .replaceAll(/[^\p{L}\d\s_-]/gu, '')
          .replaceAll(' ', '-'),
      )
      return !headings.includes(heading!)
    })
    expect(wrong.map(([link]) => link)).toEqual([])
  })

  test('shows valid configurations', () => {
    for (const text of blocks(page, 'json')) {
      expect(() => readConfig(text.trimStart().startsWith('{') ? text : `{${text}}`, page)).not.toThrow()
    }
  })

  test('uses only existing commands and options', async () => {
    const typed = [
      ...blocks(page, 'sh')
        .join('\n')
        .matchAll(/(?:^ *|npx (?:--yes )?|sudo |exec \S+ |--rm |-- )faultline ((?:[a-z]+ ?)+)([^\n#|&]*)/gm),
    ]
    for (const [, words, rest] of typed) {
      const [command, second] = words!.trim().split(' ')
      const verb = command === 'config' ? [command, second!] : [command!]
      const { code, out } = await run([...verb, '--help'])
      expect([verb, code]).toEqual([verb, 0])
      for (const [option] of rest!.replaceAll(/"[^"]*"/g, '').matchAll(/--[a-z-]+/g))
        expect(out).toContain(option)
    }
  })
})

test.skipIf(process.platform === 'win32')('the built program dist/bin/faultline.js is executable', () => {
  expect(statSync(join(root, 'dist/bin/faultline.js')).mode & 0o111).toBe(0o111)
})

test('the SQL queries in README run on an empty warehouse', async () => {
  const reader = await openReader(await warehouseFile(async () => {}))
  try {
    const queries = blocks('README.md', 'sql')
    expect(queries.length).toBeGreaterThan(0)
    for (const query of queries) expect((await reader.query(query)).columns.length).toBeGreaterThan(1)
  } finally {
    reader.close()
  }
})

test('the example reports in reports/frame/README.md compile', async () => {
  const folder = scratch()
  const [gates] = blocks('reports/frame/README.md', 'yaml')
  const [findings] = blocks('reports/frame/README.md', 'findings')
  const query = (name: string, columns: string) =>
    `\`\`\`sql ${name}\nselect ${columns} from scoped_incidents where period = 'current'\n\`\`\`\n`
  const report = [
    `---\ntitle: Gates\n${gates}---\n`,
    `\`\`\`findings\n${findings}\`\`\`\n`,
    query('targets', '0.5 as share'),
    query('unanswered', 'incident_id'),
    query('summary', 'count(*) as incidents, 0.5 as in_time'),
  ]
  mkdirSync(join(folder, 'mine'))
  writeFileSync(join(folder, 'mine/gates.md'), report.join('\n'))
  const [metrics] = blocks('reports/frame/README.md', 'markdown')
  writeFileSync(join(folder, 'mine/metrics.md'), `---\ntitle: Metrics\n---\n${metrics}`)
  const warehouse = await warehouseFile(async () => {})
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ warehouse, reports: 'mine' }))
  const ended = await run(['report', 'check', 'gates', 'metrics'], {}, folder)
  expect([ended.code, ended.out, ended.err]).toEqual([0, expect.anything(), ''])
})
