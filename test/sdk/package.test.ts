import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createSandbox } from '../../src/sdk/index.ts'
import { snippets } from './snippets.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const npm = (args: string[], cwd: string) =>
  spawnSync('npm', args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' })

test('a bundle of the contract for browsers builds without any module of Node', async () => {
  const bundle = await rolldown({
    input: join(root, 'src/contract/index.ts'),
    platform: 'browser',
    external: /^node:/,
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  expect(output).toHaveLength(1)
  expect(output[0].imports).toEqual([])
  expect(output[0].code).not.toMatch(/\b(process|Buffer|require)\b\s*[.(]/)
})

test('the published package is small and omits source maps without sources', () => {
  const { stdout } = npm(['pack', '--dry-run', '--json', '--ignore-scripts'], root)
  const [{ size, files }] = JSON.parse(stdout) as [{ size: number; files: { path: string }[] }]
  const paths = files.map(({ path }) => path)
  expect(size).toBeLessThan(1_600_000)
  expect(paths).toEqual(expect.arrayContaining(['dist/sdk/index.js', 'dist/sdk/index.d.ts', 'LICENSE']))
  expect(paths.filter((path) => /\.map$|tsbuildinfo|\.key$|\.duckdb|^dist\/bench/.test(path))).toEqual([])
})

/** TypeDoc supports TypeScript up to 6, so it reads the declarations with its own compiler. */
const TYPEDOC =
  'exec --yes --package=typedoc --package=typescript@5.9 -- typedoc --tsconfig .tsconfig-typedoc.json'.split(
    ' ',
  )

test.runIf(inject('isRelease'))('every exported name has its docstring', { timeout: 180_000 }, (context) => {
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    skipLibCheck: true,
    types: ['node'],
  }
  const entries = ['sdk', 'contract', 'sandbox'].map((name) => `dist/${name}/index.d.ts`)
  const options = join(root, '.tsconfig-typedoc.json')
  writeFileSync(options, JSON.stringify({ compilerOptions, files: entries }))
  try {
    const ask = ['--emit', 'none', '--validation.notDocumented', 'true', '--validation.notExported', 'false']
    const kinds = ['Variable', 'Function', 'Class', 'Interface', 'TypeAlias', 'Method']
    const { status, stdout, stderr } = npm(
      [...TYPEDOC, ...ask, ...kinds.flatMap((kind) => ['--requiredToBeDocumented', kind]), ...entries],
      root,
    )
    const said = stripVTControlCharacters(stdout + stderr)
    expect(
      said.split('\n').filter((line) => /does not have any documentation|^\[error\]/.test(line)),
    ).toEqual([])
    if (status !== 0) context.skip(`TypeDoc could not be had: ${said.slice(0, 200)}`)
  } finally {
    rmSync(options)
  }
})

// Takes half a minute, and downloads the dependencies.
describe.runIf(inject('isLarge'))('installed from its tarball', () => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-package-'))
  let missing = ''
  beforeAll(() => {
    const tarball = npm(['pack', '--ignore-scripts', '--pack-destination', folder], root).stdout.trim()
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
    const wanted = [`./${tarball}`, 'typescript-5@npm:typescript@5.9', 'typescript@7', '@types/node@20']
    const { status, stderr } = npm(['install', '--prefer-offline', '--no-audit', ...wanted], folder)
    if (status !== 0) missing = stderr.split('\n').slice(0, 3).join(' ')
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.for(inject('isRelease') ? ['typescript', 'typescript-5'] : ['typescript'])(
    'its programs compile with %s and skipLibCheck set to false',
    { timeout: 300_000 },
    (name, context) => {
      if (missing) context.skip(`the dependencies could not be installed: ${missing}`)
      for (const [index, text] of snippets().entries())
        writeFileSync(join(folder, `program-${index + 1}.ts`), text)
      const options = '--module nodenext --target es2023 --strict --skipLibCheck false --types node'.split(
        ' ',
      )
      const tsc = join(folder, 'node_modules', name, 'bin', 'tsc')
      const files = snippets().map((_, index) => `program-${index + 1}.ts`)
      const { status, stdout } = spawnSync(process.execPath, [tsc, ...options, ...files], {
        cwd: folder,
        encoding: 'utf8',
      })
      expect(stdout).toBe('')
      expect(status).toBe(0)
    },
  )

  // Each Node comes from npm's package of that name.
  test.for(inject('isRelease') ? [20, 22, 24, 26] : [20])(
    'its first program, its command line and its demo run on Node %i',
    { timeout: 180_000 },
    async (major, context) => {
      if (missing) context.skip(`the dependencies could not be installed: ${missing}`)
      const asked = ['exec', '--yes', `--package=node@${major}`, '--', 'node', '-p', 'process.execPath']
      const node = npm(asked, folder).stdout.trim()
      if (!node) context.skip(`Node ${major} could not be had`)
      const sandbox = await createSandbox({ incidents: 100 })
      try {
        const env = {
          ...process.env,
          FAULTLINE_BASE_URL: sandbox.baseUrl,
          FAULTLINE_APP_KEY: sandbox.appKey,
        }
        const run = (...args: string[]) =>
          new Promise<string>((resolve, reject) =>
            execFile(node, args, { cwd: folder, env }, (error, out) =>
              error ? reject(error) : resolve(out),
            ),
          )
        const faultline = (...args: string[]) => run('node_modules/faultline/dist/bin/faultline.js', ...args)
        expect(await run('-p', 'process.versions.node')).toMatch(new RegExp(`^${major}\\.`))
        expect(await run('program-1.js')).toMatch(/\d+ incidents in 30 days/)
        expect(await faultline('--help')).toContain('faultline [options] [command]')
        const demo = join(folder, `demo-${major}`)
        expect(await faultline('demo', '--incidents', '100', '--to', demo)).toContain('Open in a browser')
        const open = ['select count(*) as open from open_incidents', '--warehouse', join(demo, 'demo.duckdb')]
        expect(await faultline('sql', ...open, '--format', 'csv')).toMatch(/^open\r?\n\d+/)
      } finally {
        await sandbox.close()
      }
    },
  )
})
