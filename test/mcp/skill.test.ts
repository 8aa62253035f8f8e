import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import MarkdownIt from 'markdown-it'
import { describe, expect, test } from 'vitest'
import { skillFiles } from '../../src/cli/skill-text.ts'
import { metricsFor } from '../../src/report/metrics/metric-file.ts'
import { stop } from '../../src/report/parse/mistakes.ts'
import { run } from '../support/cli.ts'
import { root } from '../support/markdown.ts'

const files = await skillFiles()
const skill = files['skills/faultline/SKILL.md']!

describe.each(Object.entries(files))('%s', (path, text) => {
  test('was written when the package was built', () => {
    expect(readFileSync(join(root, 'dist', path), 'utf8')).toBe(text)
  })

  test('links to files that the package has', () => {
    const links = [...text.matchAll(/\]\(([^)#\s]+)\)/g)].map(([, link]) => link!)
    expect(links.length).toBeGreaterThan(1)
    for (const link of links) {
      const target = join('dist', dirname(path), link)
      expect([link, existsSync(join(root, target))]).toEqual([link, true])
      expect(target).toMatch(/^(dist\/(?!cli|mcp)|sql\/|reports\/|README\.md)/)
    }
  })

  test('has a line for each command, in the words of its help', async () => {
    const { out } = await run(['--help'])
    const names = [...out.slice(out.indexOf('Commands:')).matchAll(/^ {2}([a-z]+)/gm)].map(
      ([, name]) => name!,
    )
    for (const name of names.filter((one) => one !== 'help'))
      expect(text).toMatch(new RegExp(`^- \`${name}\`: \\w`, 'm'))
  })

  test('names no package that is fetched, and no machine', () => {
    expect(text).not.toMatch(/npx (--yes )?faultline|\/(home|root|work|tmp)\//)
  })
})

describe('the skill', () => {
  test('says in its front matter what it is called, like its folder, and when to use it', () => {
    const [, name, description] = /^---\nname: (\S+)\ndescription: (.+)\n---\n/.exec(skill)!
    expect(name).toBe('faultline')
    expect(description!.length).toBeLessThanOrEqual(1_024)
    expect(description).toContain('Use it whenever')
    expect(skill.split('\n').length).toBeLessThan(500)
  })

  test('has every metric with its question, and every report', async () => {
    const { metrics } = metricsFor(join(root, 'reports/figure.md'), stop)
    const figures = [...metrics.values()].filter(({ format }) => format !== 'text')
    expect(figures.length).toBeGreaterThan(15)
    for (const { name, question } of figures) expect(skill).toContain(`| ${question} | \`${name}\` |`)
    const { out } = await run(['report', 'list', '--json'])
    for (const { name } of JSON.parse(out) as { name: string }[]) expect(skill).toContain(`- \`${name}\`: `)
  })

  test('types commands, options and names that there are', async () => {
    const typed = new MarkdownIt()
      .parse(skill, {})
      .filter(({ type, info }) => type === 'fence' && info === 'sh')
      .flatMap(({ content }) => content.trimEnd().split('\n'))
    expect(typed.length).toBeGreaterThan(3)
    for (const line of typed) {
      const [, command, rest] = /^faultline ([a-z]+)(.*)$/.exec(line)!
      const { code, out } = await run([command!, '--help'])
      expect([command, code]).toEqual([command, 0])
      for (const [option] of rest!.replaceAll(/"[^"]*"/g, '').matchAll(/--[a-z-]+/g))
        expect(out).toContain(option)
    }
    for (const [, relation] of skill.matchAll(/faultline schema ([a-z_]+)$/gm))
      expect((await run(['schema', relation!])).code).toBe(0)
  })
})
