import { execFile, spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Block, blocks, blocksOf, files, pages, root } from '../support/markdown.ts'
import { packTarball } from '../support/packed.ts'

/**
 * Runs the blocks of README and of the pages beside it line by line, as a newcomer would, in a clone and with the
 * installed tarball.
 */

/** Lines of the blocks that these tests do not run as written, with the reason. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^npx faultline init\b/, 'needs a terminal: test/cli/init/terminal.test.ts'],
  [/^export FAULTLINE_APP_KEY=…/, 'needs a key: what sandbox --env prints is in its place'],
  [/--real\b/, 'needs the real incidents'],
]
const isRun = (line: string) => !ELSEWHERE.some(([pattern]) => pattern.test(line))

const HERE = 'test/e2e/newcomer.test.ts'

/** The test that runs the blocks of a page in a language. */
const FOLLOWED: readonly (readonly [page: RegExp, language: RegExp, by: string])[] = [
  [/^README\.md$/, /^(sh|ts)$/, HERE],
  [/^src\/report\/README\.md$/, /^(sh|markdown|yaml)$/, HERE],
  [/^test\/bench\/README\.md$/, /^sh$/, HERE],
  [/^README\.md$/, /^sql$/, 'test/e2e/readme.test.ts'],
  [/^reports\/frame\/README\.md$/, /^(yaml|findings|markdown)$/, 'test/e2e/readme.test.ts'],
  [/README\.md$/, /^json$/, 'test/e2e/readme.test.ts'],
  [/custom-definitions\.md$/, /^(json|sh|yaml)$/, 'test/page/custom-definitions.test.ts'],
  [/^sql\/README\.md$/, /^sql$/, 'test/sql/guide.test.ts'],
  [/^sql\/README\.md$/, /^python$/, 'test/sql/clients.test.ts'],
  [/^src\/sdk\/README\.md$/, /^ts$/, 'test/sdk/readme.test.ts'],
  [/^CONTRIBUTING\.md$/, /^ts$/, 'test/cli/commands.test.ts'],
  [/^CONTRIBUTING\.md$/, /^typescript$/, 'test/render/charts/recipe.test.ts'],
  [/^CONTRIBUTING\.md$/, /^(sql|markdown)$/, 'test/report/recipes.test.ts'],
]
const followedBy = ({ page, language }: Block) =>
  FOLLOWED.filter(([pages, languages]) => pages.test(page) && languages.test(language)).map(([, , by]) => by)

test('every code block in the guides is run by a test or states why not', () => {
  const all = pages.flatMap(blocksOf)
  expect(all.length).toBeGreaterThan(75)
  const neither = all.filter(
    (block) => block.language !== 'text' && !block.needs && followedBy(block).length !== 1,
  )
  expect(neither.map(({ page, language, text }) => [page, language, text])).toEqual([])
  // Every entry of the lists above must match a block.
  const open = all.filter(({ needs }) => !needs)
  for (const [page, language] of FOLLOWED)
    expect(open.some((block) => page.test(block.page) && language.test(block.language))).toBe(true)
  const lines = open.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.split('\n'))
  for (const [pattern] of ELSEWHERE) expect(lines.some((line) => pattern.test(line))).toBe(true)
  // A comment in a block may name the test that covers most of the block. That test must exist.
  for (const { needs } of all)
    for (const [path] of needs?.matchAll(/test\/[\w/-]+\.test\.ts/g) ?? []) expect(files).toContain(path)
})

/** `.ci/run` has just installed and built its own clone, so `npm run test:slow` does not do it again. */
const isInstalled = !inject('isLarge')
const places = inject('isRelease') ? ['a clone', 'an installed tarball'] : ['a clone']
describe.runIf(!inject('isFast')).each(places)('a newcomer in %s', (place) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-newcomer-'))
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: process.env.HOME, TZ: 'America/New_York' }
  let sandbox: ReturnType<typeof spawn> | undefined

  /** Runs lines one after the other until one fails. */
  const follow = (lines: string) =>
    new Promise<{ code: number; said: string }>((resolve) =>
      execFile('bash', ['-ec', lines], { cwd: folder, env }, (error, out, err) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, said: out + err }),
      ),
    )
  /** Returns the lines of a block that can run here. A `--watch` command gets Ctrl-C once its page exists. */
  const lines = (page: string, place: number) =>
    blocks(page, 'sh')
      [place]!.split('\n')
      .filter(isRun)
      .map((line) =>
        line.replace(/^npx faultline report (\S+) --watch\b.*/, (command, name) => watched(command, name)),
      )
      .join('\n')

  beforeAll(() => {
    if (place === 'a clone') {
      for (const path of files) {
        mkdirSync(join(folder, dirname(path)), { recursive: true })
        cpSync(join(root, path), join(folder, path))
      }
      if (isInstalled) {
        symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
        cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
      }
      return
    }
    const tarball = packTarball(folder)
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    const { status } = spawnSync('npm', ['install', '--prefer-offline', '--no-audit', `./${tarball}`], {
      cwd: folder,
    })
    expect(status).toBe(0)
  }, 600_000)
  afterAll(() => {
    // The negative id kills npx and the program that npx started.
    if (sandbox?.pid) process.kill(-sandbox.pid)
    rmSync(folder, { recursive: true, force: true })
  })

  test('can run the demo as README describes', { timeout: 600_000 }, async () => {
    const text = lines('README.md', 0)
    const { code, said } = await follow(
      place === 'a clone'
        ? text.replace('npm ci\n', isInstalled ? '' : 'npm ci\n')
        : text.replace('npm ci\n', '').replace('npm run demo', 'npx faultline demo'),
    )
    expect([code, said]).toEqual([0, expect.stringContaining('Open in a browser')])
    expect(said).toMatch(/5 rows/)
  })

  test('can connect to a service as README describes', { timeout: 600_000 }, async () => {
    const child = spawn('npx', ['faultline', 'sandbox', '--env', '--port', '0', '--incidents', '400'], {
      cwd: folder,
      env,
      detached: true,
    })
    sandbox = child
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
    })
    await expect.poll(() => printed, { timeout: 30_000 }).toMatch(/APP_KEY.*\n/)
    const { code, said } = await follow(`${printed}\n${lines('README.md', 2)}`)
    expect([code, said]).toEqual([0, expect.stringContaining('out/mtta-mttr.html')])
  })

  test('can write a report as src/report/README.md describes', { timeout: 600_000 }, async () => {
    expect(await follow(lines('README.md', 3))).toMatchObject({ code: 0 })
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
  test('can run the import of the package from README', async () => {
    const [program] = blocks('README.md', 'ts')
    writeFileSync(join(folder, 'program.mjs'), `${program}console.log(typeof sync)`)
    expect(await follow('node program.mjs')).toEqual({ code: 0, said: 'function\n' })
  })

  test.runIf(place === 'a clone' && inject('isRelease'))(
    'can run every measurement of test/bench, with small data',
    { timeout: 600_000 },
    async () => {
      const commands = blocksOf('test/bench/README.md')
        .filter(({ needs }) => !needs)
        .flatMap(({ text }) => text.trimEnd().split('\n').filter(isRun))
      expect(commands.length).toBeGreaterThan(5)
      expect((await follow('npm run build && npx tsc -p test/bench')).code).toBe(0)
      for (const command of commands) {
        const { code, said } = await follow(
          small(command.replace('npm run build && npx tsc -p test/bench && ', '')),
        )
        expect([command, code, said]).toEqual([command, 0, expect.stringMatching(/\d/)])
      }
    },
  )
})

/** Runs a command until its page exists, then sends SIGINT, which ends the command with status 130. */
function watched(command: string, name: string): string {
  const page = `out/${name}.html`
  return `rm -f ${page}
timeout --preserve-status -s INT 60 ${command.replace(/ +#.*/, '')} &
until [ -s ${page} ] || ! kill -0 $!; do sleep 0.2; done
kill -INT $!
wait $! || test $? = 130
test -s ${page}`
}

/** Reduces the sizes in the command of a measurement to the smallest ones. */
function small(command: string): string {
  return command
    .replaceAll(/\b\d{4,}\b/g, '1000')
    .replace('--runs=4', '--runs=1')
    .replace(/verdicts\.js \d+/, 'verdicts.js 4')
}
