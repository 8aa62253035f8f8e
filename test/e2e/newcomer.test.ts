import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'

/** README and the pages beside it are followed line by line, as a newcomer does: in a clone, and where the tarball is installed. */
const root = fileURLToPath(new URL('../../', import.meta.url))
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const blocks = (path: string, language: string) =>
  [...textOf(path).matchAll(new RegExp(`^( *)(\`{3,})${language}\\n(.*?)^ *\\2`, 'gms'))].map(
    ([, indent, , text]) => text!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )

/** Commands that are not run here as they stand, and why. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^npx faultline init\b/, 'needs a terminal: test/cli/init/terminal.test.ts'],
  [/^export FAULTLINE_APP_KEY=…/, 'needs a key: what sandbox --env prints is in its place'],
  [/^(sudo |npm ci && sudo |journalctl)/, 'needs root and systemd: test/e2e/install.test.ts'],
  [/^docker /, 'needs docker'],
]
const PAGES = files.filter((path) => /(^|\/)README\.md$/.test(path))
const isRun = (line: string) => !ELSEWHERE.some(([pattern]) => pattern.test(line))

test('every command of every page is run here, or is known to need what is not here', () => {
  const lines = PAGES.flatMap((page) =>
    blocks(page, 'sh').flatMap((block) =>
      block
        .trimEnd()
        .split('\n')
        .map((line) => [page, line] as const),
    ),
  )
  expect(lines.length).toBeGreaterThan(15)
  for (const [pattern] of ELSEWHERE) expect(lines.some(([, line]) => pattern.test(line))).toBe(true)
  const followed = ['README.md', 'src/report/README.md']
  expect(lines.filter(([page, line]) => !followed.includes(page) && isRun(line))).toEqual([])
})

// Installs twice, and syncs and reports four times.
describe.runIf(inject('isLarge')).each(['a clone', 'an installed tarball'])('in %s', (place) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-newcomer-'))
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: process.env.HOME, TZ: 'America/New_York' }
  let sandbox: ReturnType<typeof spawn> | undefined

  /** Runs lines one after the other, to the first that fails. */
  const follow = (lines: string) =>
    new Promise<{ code: number; said: string }>((resolve) =>
      execFile('bash', ['-ec', lines], { cwd: folder, env }, (error, out, err) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, said: out + err }),
      ),
    )
  /** A block of a page, as far as it is run here; what runs until Ctrl-C gets it after some seconds. */
  const lines = (page: string, place: number) =>
    blocks(page, 'sh')
      [place]!.split('\n')
      .filter(isRun)
      .map((line) =>
        line.replace(
          /^(npx faultline .*--watch)\b/,
          'timeout --preserve-status -s INT 15 $1 || test $? = 130',
        ),
      )
      .join('\n')

  beforeAll(() => {
    if (place === 'a clone') {
      for (const path of files) {
        mkdirSync(join(folder, dirname(path)), { recursive: true })
        cpSync(join(root, path), join(folder, path))
      }
      return
    }
    const tarball = execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    }).trim()
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    const { status } = spawnSync('npm', ['install', '--prefer-offline', '--no-audit', `./${tarball}`], {
      cwd: folder,
    })
    expect(status).toBe(0)
  }, 180_000)
  afterAll(() => {
    sandbox?.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  test('try it', { timeout: 180_000 }, async () => {
    const text = lines('README.md', 0)
    const { code, said } = await follow(
      place === 'a clone' ? text : text.replace('npm ci\n', '').replace('npm run demo', 'npx faultline demo'),
    )
    expect([code, said]).toEqual([0, expect.stringContaining('Open in a browser')])
    expect(said).toMatch(/5 rows/)
  })

  test('your service, on the sandbox in another terminal', { timeout: 180_000 }, async () => {
    const child = spawn('npx', ['faultline', 'sandbox', '--env', '--port', '0', '--incidents', '400'], {
      cwd: folder,
      env,
    })
    sandbox = child
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
    })
    await expect.poll(() => printed, { timeout: 30_000 }).toMatch(/APP_KEY.*\n/)
    const { code, said } = await follow(`${printed}\n${lines('README.md', 1)}`)
    expect([code, said]).toEqual([0, expect.stringContaining('out/mtta-mttr.html')])
  })

  test('a report of your own, with the chart and the gate of its page', { timeout: 180_000 }, async () => {
    expect(await follow(lines('README.md', 2))).toMatchObject({ code: 0 })
    rmSync(join(folder, 'my-reports'), { recursive: true })
    for (const block of [0, 1]) {
      const { code, said } = await follow(lines('src/report/README.md', block))
      expect([code, said]).toEqual([0, said])
    }
    const report = join(folder, 'my-reports/my-team.md')
    const [chart] = blocks('src/report/README.md', 'markdown')
    appendFileSync(report, `\n${chart}`)
    expect(await follow('npx faultline report check my-team')).toMatchObject({ code: 0 })
    const [gate] = blocks('src/report/README.md', 'yaml')
    writeFileSync(
      report,
      readFileSync(report, 'utf8').replace('\n---\n', `\n${gate!.replace('4h', '1s')}---\n`),
    )
    const { code, said } = await follow('npx faultline report my-team')
    expect([code, said]).toEqual([3, expect.stringContaining('Half of the incidents took')])
    expect(readFileSync(join(folder, 'out/my-team.html'), 'utf8')).toContain('Incidents by team')
  })
})
