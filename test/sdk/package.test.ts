import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { rolldown } from 'rolldown'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { createSandbox } from '../../src/sdk/index.ts'
import { ownFolder } from '../support/folder.ts'
import { root } from '../support/markdown.ts'
import { copyPackage, listPacked, npm, packTarball } from '../support/packed.ts'
import { snippets } from './snippets.ts'

test('a browser bundle of `faultline/contract` uses no Node modules', async () => {
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

test('the npm package is smaller than 4 MB and contains no source maps', () => {
  const { unpackedSize, paths } = listPacked()
  expect(unpackedSize).toBeLessThan(4_000_000)
  expect(paths).toEqual(expect.arrayContaining(['dist/bin/sdk.js', 'dist/sdk/index.d.ts', 'LICENSE']))
  expect(paths.filter((path) => /\.map$|tsbuildinfo|\.key$|\.duckdb|^dist\/bench/.test(path))).toEqual([])
  expect(paths.filter((path) => /^dist\/(?!bin|contract).*\.js$/.test(path))).toEqual([])
})

test('every link in the npm package leads to a file in the package', () => {
  const folder = ownFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { paths } = listPacked()
  copyPackage(folder, paths)
  const linked = paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      [
        ...readFileSync(join(folder, path), 'utf8').matchAll(
          /(?:\]\(|src(?:set)?=")(?!http|#|mailto)([^)"#\s]+)/g,
        ),
      ].map(([, link]) => join(dirname(path), link!)),
    )
  const named = paths
    .filter((path) => path.startsWith('dist/bin/'))
    .flatMap(
      (path) =>
        readFileSync(join(folder, path), 'utf8').match(/\b(?:src|sql|reports|deploy)\/[\w./-]+\.md\b/g) ?? [],
    )
  expect(linked.length + named.length).toBeGreaterThan(50)
  expect([...linked, ...named].filter((path) => !existsSync(join(folder, path)))).toEqual([])
})

test('`pack.mjs --undo` restores package.json and README.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-pack-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'dist'))
  copyPackage(folder, ['package.json', 'README.md'])
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  expect(JSON.parse(read('package.json'))).not.toHaveProperty('scripts')
  expect(read('README.md')).not.toContain('.github/pictures')
  spawnSync(process.execPath, [join(folder, '.ci/pack.mjs'), '--undo'])
  for (const name of ['package.json', 'README.md'])
    expect(read(name)).toBe(readFileSync(join(root, name), 'utf8'))
})

/** TypeDoc supports TypeScript up to 6, so it reads the declarations with its own compiler. */
const TYPEDOC =
  'exec --yes --package=typedoc --package=typescript@5.9 -- typedoc --tsconfig .tsconfig-typedoc.json'.split(
    ' ',
  )

test.runIf(inject('isRelease'))(
  'every exported name of the npm package has a doc comment',
  { timeout: 180_000 },
  (context) => {
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
      const ask = [
        '--emit',
        'none',
        '--validation.notDocumented',
        'true',
        '--validation.notExported',
        'false',
      ]
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
  },
)

// This takes half a minute, and downloads the dependencies.
describe.runIf(inject('isLarge'))('the package installed from its tarball', () => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-package-'))
  let missing = ''
  let warnings: string[] = []
  beforeAll(() => {
    const tarball = packTarball(folder)
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
    const wanted = [`./${tarball}`, 'typescript-5@npm:typescript@5.9', 'typescript@7', '@types/node@20']
    const { status, stderr } = npm(['install', '--prefer-offline', '--no-audit', ...wanted], folder)
    warnings = stderr.split('\n').filter((line) => line.includes('faultline'))
    if (status !== 0) missing = stderr.split('\n').slice(0, 3).join(' ')
  }, 300_000)

  test('causes no npm warnings', (context) => {
    if (missing) context.skip(`the dependencies could not be installed: ${missing}`)
    expect(warnings).toEqual([])
  })

  test.for(inject('isRelease') ? ['typescript', 'typescript-5'] : ['typescript'])(
    'has type declarations that compile with %s and skipLibCheck set to false',
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

  // Each version of Node comes from the npm package `node`.
  test.for(inject('isRelease') ? [20, 22, 24, 26] : [20])(
    'runs its sample program, commands and demo on Node %i',
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
