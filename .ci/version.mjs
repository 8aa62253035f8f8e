// Prints the changelog section of the version in package.json. Fails if it is missing, if the tag differs, or if npm would refuse the package.
// Usage: node .ci/version.mjs [TAG]
import { readFileSync } from 'node:fs'

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')
const { version, repository, publishConfig } = JSON.parse(read('package.json'))
const [, , tag] = process.argv
const fail = (reason) => {
  console.error(reason)
  process.exit(1)
}
// npm compares the provenance with it, and otherwise refuses the package after all other steps.
if (publishConfig?.provenance && !(repository?.url ?? repository))
  fail(
    'package.json has no `repository`, and publishConfig.provenance needs it: its owner sets { "type": "git", "url": "git+https://github.com/OWNER/NAME.git" }.',
  )
if (tag !== undefined && tag !== `v${version}`) fail(`The tag is ${tag}, and package.json says ${version}.`)
const section = read('CHANGELOG.md')
  .split(/^## /m)
  .find((part) => part.startsWith(`[${version}]`))
if (!section) fail(`CHANGELOG.md has no section [${version}]: move what is unreleased there.`)
console.log(section.slice(section.indexOf('\n')).trim())
