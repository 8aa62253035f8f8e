import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isAlive } from '../../effects.ts'
import { ConfigError } from '../../errors.ts'
import { isExport } from '../../site/prune.ts'

/** Fills a temporary folder and renames it. @throws ConfigError if `path` contains other files or is not writable */
export async function replaceExport<Result>(
  path: string,
  fill: (folder: string) => Promise<Result>,
): Promise<Result> {
  removeLeftovers(path)
  refuseOther(path)
  const part = `${path}.${process.pid}.part`
  makeFolder(part)
  try {
    const result = await fill(part)
    swap(path, part)
    return result
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
}

function makeFolder(part: string) {
  try {
    mkdirSync(dirname(part), { recursive: true })
    // Only the owner can read a new folder. For a replaced folder, `swap` keeps the mode of the older folder.
    mkdirSync(part, { mode: 0o700 })
  } catch (cause) {
    throw new ConfigError(`--to: ${part} cannot be created: ${(cause as Error).message}`, {
      cause,
      next: 'Use a folder whose parent is writable.',
    })
  }
}

function refuseOther(path: string) {
  if (!existsSync(path)) return
  const isFolder = statSync(path).isDirectory()
  if (isFolder && (readdirSync(path).length === 0 || isExport(path))) return
  throw new ConfigError(
    isFolder
      ? `${path} contains files that are not part of an export. A new export would delete them.`
      : `${path} is not a folder.`,
    { next: 'Use a new or empty folder.' },
  )
}

function swap(path: string, part: string) {
  const former = `${path}.${process.pid}.old`
  const isThere = existsSync(path)
  if (isThere) {
    chmodSync(part, statSync(path).mode & 0o777)
    renameSync(path, former)
  }
  try {
    renameSync(part, path)
  } catch (error) {
    if (isThere) renameSync(former, path)
    throw error
  }
  rmSync(former, { recursive: true, force: true })
}

/** Removes what killed exports left behind, or restores the older folder (`.old`) after a kill between the renames. */
function removeLeftovers(path: string) {
  const folder = dirname(path)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(path)}.`)) continue
    const [, pid, kind] = /^\.(\d+)\.(part|old)$/.exec(name.slice(basename(path).length)) ?? []
    if (kind === undefined || isAlive(Number(pid))) continue
    if (kind === 'old' && !existsSync(path)) renameSync(join(folder, name), path)
    else rmSync(join(folder, name), { recursive: true, force: true })
  }
}
