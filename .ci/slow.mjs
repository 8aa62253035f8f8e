// Prints the options of `npm run test:slow` for a change: tests of wings and pages run only if the change touches their rooms.
// Usage: node .ci/slow.mjs BASE
import { execFileSync } from 'node:child_process'

const tests = {
  'test/{lake,e2e/work}/**':
    /^(src|test)\/(lake|schedule|warehouse|sync)\/|^src\/cli\/(start|lake|work)|^test\/e2e\/work\/|^deploy\//,
  'test/browser/**': /^(src|test)\/(render|page|site|explore|browser)\/|^reports\//,
  'test/simulation/**': /^(src|test)\/(client|sync|warehouse|schedule|resources|sandbox|simulation)\//,
  'test/mcp/**': /^(src|test)\/(mcp|report|judge|page|warehouse|definitions)\/|^(sql|reports)\//,
}
const changed = execFileSync('git', ['diff', '--name-only', `${process.argv[2]}...HEAD`], {
  encoding: 'utf8',
}).split('\n')
// A change of shared files runs all tests.
const isWide = changed.some((file) => /^(package|tsconfig|\.ci\/|src\/[^/]+\.ts|test\/support\/)/.test(file))
const left = Object.entries(tests).filter(([, rooms]) => !isWide && !changed.some((file) => rooms.test(file)))
console.log(left.map(([folder]) => `--exclude '${folder}'`).join(' '))
