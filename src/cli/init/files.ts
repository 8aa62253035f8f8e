import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ConfigError } from '../../errors.ts'

interface NewFile {
  readonly path: string
  readonly text: string
  /** Its permissions, regardless of the umask. */
  readonly mode: number
  /** Replace an existing file, which is an error otherwise. */
  readonly force: boolean
}

/**
 * Creates a file; an existing one is replaced atomically.
 * @throws ConfigError when it exists, or cannot be written
 */
export function writeNewFile({ path, text, mode, force }: NewFile): void {
  const target = force ? `${path}.${process.pid}.part` : path
  try {
    const file = openSync(target, 'wx', mode)
    try {
      fchmodSync(file, mode)
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (force) renameSync(target, path)
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    if (!isThere) rmSync(target, { force: true })
    throw new ConfigError(isThere ? `${target} already exists.` : `${path} cannot be written.`, {
      cause,
      next: isThere
        ? 'Add --force to replace it, or name another file.'
        : 'Check the folder, its permissions and the space left on the disk.',
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
