import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { replaceFile } from '../../effects.ts'
import { ConfigError } from '../../errors.ts'

/** @throws ConfigError if the file already exists or cannot be written */
export function writeNewFile(path: string, text: string, mode: number, force: boolean): void {
  if (!force && existsSync(path)) {
    throw new ConfigError(`${path} already exists.`, {
      next: 'Add --force to replace it, or use another file.',
    })
  }
  try {
    replaceFile(path, text, mode)
  } catch (cause) {
    throw new ConfigError(`${path} cannot be written.`, {
      cause,
      next: 'Check the folder, its permissions and the free disk space.',
    })
  }
}

/** Adds paths to `.gitignore` unless git already ignores them. A path can contain `*`. Returns the changed files. */
export function ignoreInGit(paths: readonly string[]): string[] {
  const seen = paths.filter((path) => isSeen(path.replace('*', 'x')))
  const folders = [...new Set(seen.map(dirname))]
  return folders.map((folder) => {
    const file = join(folder, '.gitignore')
    const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const names = seen.filter((path) => dirname(path) === folder).map((path) => `/${basename(path)}`)
    appendFileSync(file, `${before === '' || before.endsWith('\n') ? '' : '\n'}${names.join('\n')}\n`)
    return file
  })
}

/** Whether git would list the file as untracked. Outside a repository, `git check-ignore` exits with status 128. */
function isSeen(path: string): boolean {
  try {
    execFileSync('git', ['-C', dirname(path), 'check-ignore', '-q', path], { stdio: 'ignore' })
    return false
  } catch (error) {
    return (error as { status?: number }).status === 1
  }
}
