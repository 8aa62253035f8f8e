// Prints what the changelog says of the version in package.json; fails where it says nothing, or where a tag is another.
// Usage: node .ci/version.mjs [TAG]
import { readFileSync } from 'node:fs'

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')
const { version } = JSON.parse(read('package.json'))
const [, , tag] = process.argv
const fail = (reason) => {
  console.error(reason)
  process.exit(1)
}
if (tag !== undefined && tag !== `v${version}`) fail(`The tag is ${tag}, and package.json says ${version}.`)
const section = read('CHANGELOG.md')
  .split(/^## /m)
  .find((part) => part.startsWith(`[${version}]`))
if (!section) fail(`CHANGELOG.md has no section [${version}]: move what is unreleased there.`)
console.log(section.slice(section.indexOf('\n')).trim())
