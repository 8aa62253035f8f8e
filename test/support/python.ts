import { spawnSync } from 'node:child_process'

/** Installs packages from PyPI into a folder, for `PYTHONPATH`. @returns whether that was possible */
export function installed(packages: readonly string[], folder: string): boolean {
  const options = ['-m', 'pip', 'install', '-q', '--target', folder, ...packages]
  return spawnSync('python3', options).status === 0
}
