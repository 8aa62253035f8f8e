import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/markdown.ts'
import { scratch } from '../support/warehouse.ts'

test('`npm run prepare` builds only if a source file changed since the last build', () => {
  const folder = scratch()
  cpSync(join(root, '.ci'), join(folder, '.ci'), { recursive: true })
  mkdirSync(join(folder, 'src/sync'), { recursive: true })
  mkdirSync(join(folder, 'dist'))
  for (const name of ['src/sync/plan.ts', 'src/sync/read.ts', 'tsconfig.json', 'package-lock.json'])
    writeFileSync(join(folder, name), '')
  const build = `node -e "for (const name of ['.built', 'ran']) fs.writeFileSync('dist/' + name, '')"`
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', scripts: { build } }))
  const isBuilt = () => {
    rmSync(join(folder, 'dist/ran'), { force: true })
    execFileSync(process.execPath, ['.ci/build.mjs'], { cwd: folder, stdio: 'pipe' })
    const ran = existsSync(join(folder, 'dist/ran'))
    // Sets the file time ten seconds ahead, because file times may have a resolution of only a second.
    const later = Date.now() / 1_000 + 10
    if (ran) utimesSync(join(folder, 'dist/.built'), later, later)
    return ran
  }
  const touch = (name: string) => {
    const later = Date.now() / 1_000 + 20
    utimesSync(join(folder, name), later, later)
  }
  const settle = (name: string) => utimesSync(join(folder, name), 1, 1)
  expect([isBuilt(), isBuilt()]).toEqual([true, false])
  for (const name of ['src/sync/plan.ts', 'package.json', '.ci/bundle.mjs']) {
    touch(name)
    expect([name, isBuilt()]).toEqual([name, true])
    settle(name)
    expect([name, isBuilt()]).toEqual([name, false])
  }
  rmSync(join(folder, 'src/sync/read.ts'))
  touch('src/sync')
  expect(isBuilt()).toBe(true)
})
