import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { replaceFile } from '../../effects.ts'
import { ConfigError } from '../../errors.ts'

interface NewFile {
  readonly path: string
  readonly text: string
  /** Its permissions, less the umask. */
  readonly mode: number
  /** Replace an existing file, which is an error otherwise. */
  readonly force: boolean
}

/** Creates a file, whole or not at all. @throws ConfigError when it exists, or cannot be written */
export function writeNewFile({ path, text, mode, force }: NewFile): void {
  if (!force && existsSync(path)) {
    throw new ConfigError(`${path} already exists.`, {
      next: 'Add --force to replace it, or name another file.',
    })
  }
  try {
    replaceFile(path, text, mode)
  } catch (cause) {
    throw new ConfigError(`${path} cannot be written.`, {
      cause,
      next: 'Check the folder, its permissions and the space left on the disk.',
    })
  }
}

/**
 * Lets git ignore files: names those that it does not ignore yet in the `.gitignore` of their folder. Does nothing outside of
 * a checkout, or where there is no git.
 * @param paths absolute; a `*` stands for any characters, a `/` at the end for a folder
 * @returns the files that were written or grew
 */
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

/** Whether git would show the file as new: exit status 1 of `check-ignore`; 128 is no checkout. */
function isSeen(path: string): boolean {
  try {
    execFileSync('git', ['-C', dirname(path), 'check-ignore', '-q', path], { stdio: 'ignore' })
    return false
  } catch (error) {
    return (error as { status?: number }).status === 1
  }
}
