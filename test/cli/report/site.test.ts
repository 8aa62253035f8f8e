import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { run } from '../../support/cli.ts'
import { scratch, warehouseFile } from '../../support/warehouse.ts'
import { settleCompany } from '../../support/world.ts'

const folder = scratch()
const out = join(folder, 'out')
const page = (...path: string[]) => readFileSync(join(out, ...path), 'utf8')
/** The links at the head of a page, as `address text`. */
const headOf = (html: string) =>
  [...(/<nav class="site".*?<\/nav>/s.exec(html)?.[0] ?? '').matchAll(/href="([^"]*)">([^<]*)</g)].map(
    ([, href, text]) => `${href} ${text}`,
  )
let first: string

beforeAll(async () => {
  const warehouse = await warehouseFile(settleCompany)
  const quality = { age: { warn: null, error: null }, coverage: { warn: null, error: null } }
  // A report that always fails must not prevent the others.
  const query = "select error(coalesce($teams[1], 'all')) as x"
  const broken = `---\ntitle: Broken\n---\n\`\`\`sql q\n${query}\n\`\`\`\n{{ q.x | text }}\n`
  mkdirSync(join(folder, 'own'))
  writeFileSync(join(folder, 'own', 'broken.md'), broken)
  const config = { warehouse, out, reports: './own', reporting: { quality } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  const { code, err } = await run(
    ['report', 'severity-trend', 'team-overview', 'broken', '--teams'],
    {},
    folder,
  )
  expect([code, err]).toEqual([1, expect.stringMatching(/error: .*broken\.md:\d+ of /)])
  first = page('severity-trend.html')
}, 300_000)

test('a report page links to the index and to the page of all teams', () => {
  expect(headOf(first)).toEqual(['index.html All reports', 'team-overview.html Teams'])
  expect(headOf(page('team-overview.html'))).toEqual(['index.html All reports'])
  expect(page('index.html')).toContain('href="severity-trend.html"')
})

test('a team page names the team in its title and links to the index', () => {
  const [team] = readdirSync(join(out, 'teams')).sort()
  const own = page('teams', team!, 'severity-trend.html')
  const [, name] = /<h1>(.*) · Severity trend<\/h1>/.exec(own)!
  expect(name).toBeTruthy()
  expect(own).toContain(`<title>${name} · Severity trend · `)
  expect(headOf(own)).toEqual([
    '../../index.html All reports',
    `index.html ${name}`,
    '../../team-overview.html Teams',
  ])
  expect(headOf(page('teams', team!, 'index.html'))[0]).toBe('../../index.html All reports')
  // A comparison of teams is not written for a single team.
  expect(existsSync(join(out, 'teams', team!, 'team-overview.html'))).toBe(false)
})

test('the index shows a finding for each report and repeats no finding', () => {
  const [latest = ''] = page('index.html').split('</table>')
  const rows = [...latest.matchAll(/<td class="wrap">(.*?)<\/td>/gs)].map(([, text]) => text!)
  expect(rows.length).toBeGreaterThan(1)
  expect(rows.every((text) => text !== '')).toBe(true)
  const found = rows.filter((text) => !text.startsWith('Same finding'))
  expect(new Set(found).size).toBe(found.length)
})

test('a report of a past period gets its own page and never replaces the current page', async () => {
  const [, year = ''] = /<b>[^<]*(\d{4})[^<]*<\/b>/.exec(first)!
  for (const period of [`${year}-Q1`, `${year}-Q2`]) {
    const { code, err } = await run(['report', 'severity-trend', '--period', period], {}, folder)
    expect([code, err]).toEqual([0, ''])
  }
  expect(page('severity-trend.html')).toBe(first)
  const second = headOf(page('severity-trend', `${year}-Q2.html`))
  expect(second[0]).toBe('../index.html All reports')
  expect(second[1]).toMatch(new RegExp(`^\\.\\./severity-trend/${year}-Q1\\.html ‹ 1.Jan.*${year}$`))
  expect(existsSync(join(out, 'severity-trend', `${year}-Q2`, 'queries.sql'))).toBe(true)
})

test('every link on a generated page leads to a file', () => {
  const pages = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.html'),
  )
  expect(pages.length).toBeGreaterThan(50)
  const dead = pages.flatMap((name) => {
    const path = join(out, name)
    return [...readFileSync(path, 'utf8').matchAll(/href="?([^"> ]+)/g)]
      .map(([, href]) => href!)
      .filter((href) => !/^(https:|#)/.test(href))
      .map((href) => join(dirname(path), decodeURIComponent(href)))
      .filter((target) => !existsSync(target) || !statSync(target).isFile())
      .map((target) => `${name}: ${relative(out, target)}`)
  })
  expect(dead).toEqual([])
})
