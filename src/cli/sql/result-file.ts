import { closeSync, existsSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { renameDurably } from '../../effects.ts'
import { ConfigError } from '../../errors.ts'
import { PRIVATE } from '../../warehouse/file/files.ts'
import type { OutputFormat } from './statement.ts'

/** Opens a temporary file for its owner only. `keep` renames it to `path`. @throws ConfigError if `path` is a folder */
export function openResultFile(path: string) {
  refuseFolder(path)
  const part = `${path}.${process.pid}.part`
  const file = openSync(part, 'wx', PRIVATE)
  return {
    write: (text: string) => writeFileSync(file, text),
    keep: () => renameDurably(part, path),
    close() {
      closeSync(file)
      rmSync(part, { force: true })
    },
  }
}

function refuseFolder(path: string): void {
  if (!existsSync(dirname(path)))
    throw new ConfigError(`The folder ${dirname(path)} does not exist.`, {
      next: 'Create it, or use a file in an existing folder.',
    })
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError(`${path} is a folder.`, { next: 'Use a file name, such as results.csv.' })
}

const FORMATS: Readonly<Record<string, OutputFormat>> = { '.csv': 'csv', '.json': 'json', '.md': 'markdown' }

/** Returns the output format for the extension of a file. @throws ConfigError if the extension is unknown */
export function formatNamed(path: string): OutputFormat {
  const format = FORMATS[extname(path).toLowerCase()]
  if (format) return format
  refuseFolder(path)
  const ends = Object.keys(FORMATS)
  throw new ConfigError(`The file extension of ${path} does not specify a format.`, {
    next: `Use ${ends.slice(0, -1).join(', ')} or ${ends.at(-1)}, or set a format: --format csv.`,
  })
}
