import { closeSync, existsSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { renameDurably } from '../../effects.ts'
import { ConfigError } from '../../errors.ts'
import { PRIVATE } from '../../warehouse/file/files.ts'
import type { OutputFormat } from './statement.ts'

/** A file for rows, readable by its owner only. It appears when it is complete. */
interface ResultFile {
  write(text: string): void
  /** Gives the file its name. */
  keep(): void
  /** Closes the file, and removes it if it was not kept. */
  close(): void
}

/** Opens a file; an older one of its name stays until `keep`. @throws ConfigError for a folder and in a missing one, the file system's error otherwise */
export function openResultFile(path: string): ResultFile {
  refuseFolder(path)
  const part = `${path}.${process.pid}.part`
  const file = openSync(part, 'wx', PRIVATE)
  return {
    write: (text) => writeFileSync(file, text),
    keep: () => renameDurably(part, path),
    close() {
      closeSync(file)
      rmSync(part, { force: true })
    },
  }
}

/** @throws ConfigError for a folder, and for a file in a missing one */
function refuseFolder(path: string): void {
  if (!existsSync(dirname(path)))
    throw new ConfigError(`The folder ${dirname(path)} does not exist.`, {
      next: 'Create it, or name a file in a folder that exists.',
    })
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError(`${path} is a folder.`, { next: 'Name a file, such as results.csv.' })
}

const FORMATS: Readonly<Record<string, OutputFormat>> = { '.csv': 'csv', '.json': 'json', '.md': 'markdown' }

/**
 * Returns the format that the end of a file's name asks for. A file is read by a program, and a table for the screen is cut.
 * @throws ConfigError for another end, and for a folder
 */
export function formatNamed(path: string): OutputFormat {
  const format = FORMATS[extname(path).toLowerCase()]
  if (format) return format
  refuseFolder(path)
  const ends = Object.keys(FORMATS)
  throw new ConfigError(`The name ${path} does not say how the rows are to be written.`, {
    next: `Let it end in ${ends.slice(0, -1).join(', ')} or ${ends.at(-1)}, or name a format: --format csv.`,
  })
}
