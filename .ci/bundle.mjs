// Bundles the built command line and the library into a few files in dist/bin/. Loading some 800 modules took half of the
// start time. Both share their parts, so the package contains the code once.
// Usage: node .ci/bundle.mjs, after tsc. With NODE_OPTIONS=--enable-source-maps a stack shows the lines of src/.
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { minifySync } from 'rolldown/utils'

const inPackage = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
// Packages with machine code, optional packages, and packages that are rarely loaded.
const apart = [
  '@duckdb/node-api',
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/server/stdio',
  'bottleneck',
  'nodemailer',
  'playwright-core',
  'undici',
]

rmSync(inPackage('dist/.built'), { force: true })
// The modules of dist/ read the style sheets in their folder. The bundle is in another folder, so it includes their text.
rmSync(inPackage('dist/render/style'), { recursive: true, force: true })
cpSync(inPackage('src/render/style'), inPackage('dist/render/style'), { recursive: true })
const sheets = await import('../dist/render/page-style.js')
const style = {
  name: 'page-style',
  load: (id) =>
    id.replaceAll('\\', '/').endsWith('/src/render/page-style.ts')
      ? Object.entries(sheets)
          .map(([name, text]) => `export const ${name} = ${JSON.stringify(text)}`)
          .join('\n')
      : null,
}
// Each dependency is a separate part without names and whitespace. Faultline's own code stays readable, also in a stack trace.
const dependency = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/
const nameDependency = (id) => `npm-${dependency.exec(id)[1].replaceAll(/[@\\/]/g, '')}`
const smallDependencies = {
  name: 'small-dependencies',
  generateBundle(_, files) {
    for (const [name, file] of Object.entries(files)) {
      if (!name.startsWith('parts/npm-')) continue
      if (file.type !== 'chunk') delete files[name]
      else file.code = minifySync(name, file.code, { module: true, codegen: { removeWhitespace: true } }).code
    }
  },
}

const bundle = await rolldown({
  input: {
    faultline: inPackage('src/cli/main.ts'),
    // `sql` and `mcp` start it as a separate process.
    'statement-worker': inPackage('src/cli/statement-worker.ts'),
    // `faultline/contract` is not bundled, because it runs in browsers.
    sdk: inPackage('src/sdk/index.ts'),
    sandbox: inPackage('src/sandbox/index.ts'),
  },
  platform: 'node',
  external: [/^node:/, ...apart],
  tsconfig: inPackage('tsconfig.json'),
  plugins: [style, smallDependencies],
})
rmSync(inPackage('dist/bin'), { recursive: true, force: true })
await bundle.write({
  dir: inPackage('dist/bin'),
  format: 'esm',
  sourcemap: true,
  comments: { legal: true, jsdoc: false, annotation: false },
  chunkFileNames: 'parts/[name]-[hash].js',
  codeSplitting: { groups: [{ test: dependency, name: nameDependency, debugName: 'dependencies' }] },
})
await bundle.close()
chmodSync(inPackage('dist/bin/faultline.js'), 0o755)

// The package has of dist/ the joined files, the contract, and the declarations that its entries reach.
const reached = new Set()
const reach = (path) => {
  if (reached.has(path)) return
  reached.add(path)
  const text = readFileSync(inPackage(`dist/${path}`), 'utf8')
  for (const [, to] of text.matchAll(/(?:from |import\()["'](\.[^"']+)\.[jt]s["']/g))
    reach(posix.join(posix.dirname(path), `${to}.d.ts`))
}
for (const entry of ['sdk', 'contract', 'sandbox']) reach(`${entry}/index.d.ts`)
const packed = ['bin/**/*.js', 'contract/*.js', ...reached]
writeFileSync(inPackage('dist/.npmignore'), ['*.*', ...packed.map((path) => `!/${path}`), ''].join('\n'))
// `build.mjs` compares the sources with it.
writeFileSync(inPackage('dist/.built'), '')
