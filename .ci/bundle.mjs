// Bundles the built command line into a few files in dist/bin/. Loading some 800 modules took half of the start time.
// Usage: node .ci/bundle.mjs, after tsc. With NODE_OPTIONS=--enable-source-maps a stack shows the lines of src/.
import { chmodSync, cpSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

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

const bundle = await rolldown({
  input: {
    faultline: inPackage('src/cli/main.ts'),
    // `sql` and `mcp` start it as a separate process.
    'statement-worker': inPackage('src/cli/statement-worker.ts'),
  },
  platform: 'node',
  external: [/^node:/, ...apart],
  tsconfig: inPackage('tsconfig.json'),
  plugins: [style],
})
rmSync(inPackage('dist/bin'), { recursive: true, force: true })
await bundle.write({
  dir: inPackage('dist/bin'),
  format: 'esm',
  sourcemap: true,
  comments: { legal: true, jsdoc: false, annotation: false },
  chunkFileNames: 'parts/[name]-[hash].js',
})
await bundle.close()
chmodSync(inPackage('dist/bin/faultline.js'), 0o755)
// `build.mjs` compares its time with that of the sources.
writeFileSync(inPackage('dist/.built'), '')
