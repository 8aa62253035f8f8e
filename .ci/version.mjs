// Prints the changelog section of the version in package.json. Fails if it is missing, if the tag or the README differs, or if npm would refuse the package.
// Usage: node .ci/version.mjs [TAG]
import { readFileSync } from 'node:fs'

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')
const { version, repository, publishConfig } = JSON.parse(read('package.json'))
const [, , tag] = process.argv
const fail = (reason) => {
  console.error(reason)
  process.exit(1)
}
const { url = repository } = repository ?? {}
// npm holds the provenance against it, and refuses the package after everything else has run.
if (publishConfig?.provenance && !url)
  fail(
    'package.json has no `repository`, and publishConfig.provenance needs it: its owner sets { "type": "git", "url": "git+https://github.com/OWNER/NAME.git" }.',
  )
if (tag !== undefined && tag !== `v${version}`) fail(`The tag is ${tag}, and package.json says ${version}.`)
if (read('README.md').includes('OWNER/NAME'))
  fail('README.md installs from OWNER/NAME: its owner writes the name of the repository there.')
const tarball = /faultline-([\d.]+)\.tgz/.exec(read('README.md'))
if (tarball && tarball[1] !== version)
  fail(`README.md installs ${tarball[0]}, and package.json says ${version}.`)
const section = read('CHANGELOG.md')
  .split(/^## /m)
  .find((part) => part.startsWith(`[${version}]`))
if (!section) fail(`CHANGELOG.md has no section [${version}]: move what is unreleased there.`)
console.log(section.slice(section.indexOf('\n')).trim())
