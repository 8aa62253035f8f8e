// Builds dist/ unless it is newer than all of its inputs. npm runs this before each `npx faultline` in a checkout.
// Usage: node .ci/build.mjs
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The last file that a build writes. */
const stamp = statSync(join(root, 'dist/.built'), { throwIfNoEntry: false })
// Folders are included, because removing a file changes the time of its folder.
const sources = [
  '.ci',
  'src',
  ...readdirSync(join(root, 'src'), { recursive: true }).map((name) => join('src', name)),
]
const inputs = [
  ...sources,
  '.ci/build.mjs',
  '.ci/bundle.mjs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
]
if (!inputs.every((name) => statSync(join(root, name)).mtimeMs < (stamp?.mtimeMs ?? 0))) {
  const { status } = spawnSync('npm', ['run', 'build'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  process.exitCode = status ?? 1
}
