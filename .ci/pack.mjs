// Writes the package.json and README.md of the package before `npm pack` reads them, and restores the files afterwards.
// Usage: node .ci/pack.mjs before packing, node .ci/pack.mjs --undo afterwards
import { cpSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const inCheckout = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const changed = ['package.json', 'README.md']

// Restores the files even if an earlier pack was killed.
for (const name of changed) {
  const original = inCheckout(`dist/.${name}`)
  if (existsSync(original)) renameSync(original, inCheckout(name))
}
if (!process.argv.includes('--undo')) {
  for (const name of changed) cpSync(inCheckout(name), inCheckout(`dist/.${name}`))
  const published = JSON.parse(readFileSync(inCheckout('package.json'), 'utf8'))
  // npm warns about scripts of a package, and the package needs no build.
  delete published.scripts
  delete published.devDependencies
  writeFileSync(inCheckout('package.json'), `${JSON.stringify(published, null, 2)}\n`)
  const { repository, version } = published
  const { url = repository } = repository ?? {}
  const base = url && `${url.replace(/^git\+|\.git$/g, '')}/raw/v${version}/`
  // Pictures and benchmarks are not in the package.
  const text = readFileSync(inCheckout('README.md'), 'utf8')
  writeFileSync(
    inCheckout('README.md'),
    base
      ? text.replaceAll(/(?<=\]\(|src(?:set)?=")(?=\.github\/|test\/)/g, base)
      : text
          .replace(/<picture>.*?<\/picture>\n\n/s, '')
          .replaceAll(/\[([^\]]*)\]\((?:\.github|test)\/[^)]*\)/g, '$1'),
  )
}
