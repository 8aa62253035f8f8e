// Writes what assistants are told of the package, dist/llms.txt and dist/skills/, of what the built program knows of itself.
// Usage: node .ci/skill.mjs, behind tsc.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { skillFiles } from '../dist/cli/skill-text.js'

const dist = fileURLToPath(new URL('../dist', import.meta.url))
rmSync(join(dist, 'skills'), { recursive: true, force: true })
for (const [path, text] of Object.entries(await skillFiles())) {
  mkdirSync(dirname(join(dist, path)), { recursive: true })
  writeFileSync(join(dist, path), text)
}
