import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './markdown.ts'

export const npm = (args: string[], cwd: string) =>
  spawnSync('npm', args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' })

/** Lists the files that npm would pack. */
export function listPacked(): { unpackedSize: number; paths: string[] } {
  const { stdout } = npm(['pack', '--dry-run', '--json', '--ignore-scripts'], root)
  const [{ unpackedSize, files }] = JSON.parse(stdout) as [
    { unpackedSize: number; files: { path: string }[] },
  ]
  return { unpackedSize, paths: files.map(({ path }) => path) }
}

/** Copies the files that npm would pack, and changes the copy as `npm pack` does. */
export function copyPackage(folder: string, paths: readonly string[]): void {
  for (const path of [...paths, '.ci/pack.mjs'])
    cpSync(join(root, path), join(folder, path), { recursive: true })
  spawnSync(process.execPath, [join(folder, '.ci/pack.mjs')])
}

/** Packs this checkout with its current build. @returns the name of the tarball in the folder */
export function packTarball(folder: string): string {
  copyPackage(join(folder, 'package'), listPacked().paths)
  return npm(
    ['pack', '--ignore-scripts', '--pack-destination', folder],
    join(folder, 'package'),
  ).stdout.trim()
}
