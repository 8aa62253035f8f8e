import { closeSync, ftruncateSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { extname } from 'node:path'
import { renameDurably } from '../../effects.ts'
import { ConfigError } from '../../errors.ts'
import { PRIVATE } from '../../warehouse/file/files.ts'
import type { OutputFormat } from './statement.ts'

/** A file that results go to, for its owner only. It appears with the first one; of one that fails nothing stays. */
export interface ResultFile {
  readonly path: string
  write(text: string): void
  /** Keeps what was written since the last call. */
  keep(): void
  /** Takes it back. */
  undo(): void
  /** Whether anything was kept. */
  readonly isThere: boolean
  close(): void
}

/** Opens one; what has its name stays until the first result. @throws ConfigError for a folder, the file system's error otherwise */
export function openResultFile(path: string): ResultFile {
  refuseFolder(path)
  const part = `${path}.${process.pid}.part`
  const file = openSync(part, 'wx', PRIVATE)
  let size = 0
  let kept = 0
  let isThere = false
  return {
    path,
    get isThere() {
      return isThere
    },
    write(text) {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, size + at)
      size += bytes.length
    },
    keep() {
      if (!isThere) renameDurably(part, path)
      isThere = true
      kept = size
    },
    undo() {
      ftruncateSync(file, kept)
      size = kept
    },
    close() {
      closeSync(file)
      if (!isThere) rmSync(part, { force: true })
    },
  }
}

/** @throws ConfigError for a folder */
function refuseFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError(`${path} is a folder.`, { next: 'Name a file, such as results.csv.' })
}

const FORMATS: Readonly<Record<string, OutputFormat>> = { '.csv': 'csv', '.json': 'json', '.md': 'markdown' }

/** The format that the end of a file's name asks for; undefined for another end. */
export function formatOf(path: string): OutputFormat | undefined {
  return FORMATS[extname(path).toLowerCase()]
}

/**
 * The same where nothing else says a format: a file is read by a program, which a table for the screen, cut after some rows, is not for.
 * @param option what names a format instead
 * @throws ConfigError for another end, and for a folder
 */
export function formatNamed(path: string, option: string): OutputFormat {
  const format = formatOf(path)
  if (format) return format
  refuseFolder(path)
  const ends = Object.keys(FORMATS)
  throw new ConfigError(`The name ${path} does not say how the rows are to be written.`, {
    next: `Let it end in ${ends.slice(0, -1).join(', ')} or ${ends.at(-1)}, or name a format: ${option}.`,
  })
}
