import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parseDocument } from 'yaml'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('the release check rejects a tag that differs from package.json or the changelog', () => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-release-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, '.ci'))
  cpSync(join(root, '.ci/version.mjs'), join(folder, '.ci/version.mjs'))
  writeFileSync(join(folder, 'package.json'), '{ "version": "1.2.0" }')
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n\n- later\n')
  const readme = (text: string) => writeFileSync(join(folder, 'README.md'), text)
  readme(
    'npm install --global https://github.com/acme/faultline/releases/download/v1.2.0/faultline-1.2.0.tgz',
  )
  const check = (...tag: string[]) =>
    spawnSync(process.execPath, [join(folder, '.ci/version.mjs'), ...tag], { encoding: 'utf8' })
  expect(check()).toMatchObject({ status: 1, stderr: expect.stringContaining('no section [1.2.0]') })
  writeFileSync(
    join(folder, 'CHANGELOG.md'),
    '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-22\n\n- new\n\n## [1.1.0]\n',
  )
  expect(check('v1.3.0')).toMatchObject({ status: 1, stderr: expect.stringContaining('v1.3.0') })
  expect(check('v1.2.0')).toMatchObject({ status: 0, stdout: '- new\n' })
  const publishConfig = { provenance: true }
  const described = (fields: object) =>
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ version: '1.2.0', publishConfig, ...fields }),
    )
  described({})
  expect(check('v1.2.0')).toMatchObject({ status: 1, stderr: expect.stringContaining('no `repository`') })
  described({ repository: { type: 'git', url: 'git+https://github.com/acme/faultline.git' } })
  expect(check('v1.2.0').status).toBe(0)
  readme(
    'npm install --global https://github.com/acme/faultline/releases/download/v1.1.0/faultline-1.1.0.tgz',
  )
  expect(check('v1.2.0')).toMatchObject({ status: 1, stderr: expect.stringContaining('faultline-1.1.0.tgz') })
  readme('npm install --global https://github.com/OWNER/NAME/releases/download/v1.2.0/faultline-1.2.0.tgz')
  expect(check('v1.2.0')).toMatchObject({ status: 1, stderr: expect.stringContaining('OWNER/NAME') })
})

test('GitHub workflows pin every action to a commit', () => {
  const folder = join(root, '.github/workflows')
  const texts = [
    ...readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')),
    readFileSync(join(root, 'deploy/github-pages.yml'), 'utf8'),
  ]
  expect(texts.length).toBeGreaterThan(1)
  for (const text of texts) {
    const document = parseDocument(text)
    expect(document.errors).toEqual([])
    for (const job of Object.values(document.toJS().jobs as Record<string, { steps: object[] }>)) {
      for (const step of job.steps)
        expect(Object.keys(step).some((key) => key === 'run' || key === 'uses')).toBe(true)
    }
    for (const [, action] of text.matchAll(/uses: (.*)/g)) expect(action).toMatch(/@[0-9a-f]{40} # v\d/)
    expect(text).not.toMatch(/\bnpx\b|npm exec/)
    for (const [path] of text.matchAll(/\.ci\/[\w.]+/g)) {
      expect(() => readFileSync(join(root, path))).not.toThrow()
    }
  }
})
