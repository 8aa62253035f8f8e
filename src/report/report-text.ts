import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { ReportError } from '../errors.ts'

/** Maximum file size. Without it, a log file with the name of a report could fill the memory. */
const MEGABYTES_MOST = 4

/** @throws ReportError if the file is not a readable regular file */
export function reportText(file: string): string {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer. Windows does not have this flag.
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stat = fstatSync(descriptor)
      if (!stat.isFile()) throw new Error(stat.isDirectory() ? 'it is a folder' : 'it is not a regular file')
      if (stat.size > MEGABYTES_MOST * 1_000_000) throw new Error(`it is larger than ${MEGABYTES_MOST} MB`)
      return readFileSync(descriptor, 'utf8')
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    throw unreadable(file, cause)
  }
}

export function unreadable(file: string, cause: unknown): ReportError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new ReportError(
    `The report cannot be read: ${reason}`,
    { file, line: 1 },
    { cause, next: 'Correct the file, or move it out of the folder of reports.' },
  )
}
