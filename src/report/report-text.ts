import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { ReportError } from '../errors.ts'

/** No report comes near it; a device or a log that was named so would fill the memory. */
const MEGABYTES_MOST = 4

/** The text of a report file. What is no plain file is not waited for. @throws ReportError when it cannot be read */
export function reportText(file: string): string {
  try {
    // A pipe would be waited for until somebody writes into it; Windows has none.
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stat = fstatSync(descriptor)
      if (!stat.isFile()) throw new Error(stat.isDirectory() ? 'it is a folder' : 'it is no plain file')
      if (stat.size > MEGABYTES_MOST * 1_000_000) throw new Error(`it is larger than ${MEGABYTES_MOST} MB`)
      return readFileSync(descriptor, 'utf8')
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    throw unreadable(file, cause)
  }
}

/** A report that cannot be read for a reason that has no line of its own. */
export function unreadable(file: string, cause: unknown): ReportError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new ReportError(
    `The report cannot be read: ${reason}`,
    { file, line: 1 },
    { cause, next: 'Correct the file, or move it out of the folder of reports.' },
  )
}
