import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import type { ReportError } from '../../src/errors.ts'
import { mistakesOf } from '../../src/page/check-report.ts'
import { runReport } from '../../src/page/run-report.ts'
import type { ReportResult } from '../../src/render/result.ts'
import type { RunOptions } from '../../src/report/ask-queries.ts'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { objectsOf } from '../../src/warehouse/read/rows-to-objects.ts'
import { openReader } from '../support/storage.ts'
import { type Settle, scratch, warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

/** Opens a warehouse with this content before the tests of a file, and closes it after them. */
export function readerOn(settle: Settle, settings = defaultSettings): { readonly reader: Reader } {
  const opened = {} as { reader: Reader }
  beforeAll(async () => {
    opened.reader = await openReader(await warehouseFile(settle), { settings })
  })
  afterAll(() => opened.reader?.close())
  return opened
}

/** Readers of a company's warehouse and of an empty one, for the tests of a file. */
export function companyReaders(settings = defaultSettings): {
  readonly reader: Reader
  readonly blank: Reader
} {
  const [company, empty] = [readerOn(settleCompany, settings), readerOn(async () => {}, settings)]
  return {
    get reader() {
      return company.reader
    },
    get blank() {
      return empty.reader
    },
  }
}

/** The result of one report on a warehouse, without incident lists unless the options ask for them. */
export async function reportOn(
  warehouse: string,
  file: string,
  { settings = defaultSettings, ...options }: RunOptions & { settings?: Settings } = {},
): Promise<ReportResult> {
  const reader = await openReader(warehouse, { settings })
  try {
    return await runReport(file, reader, { lists: false, ...options })
  } finally {
    reader.close()
  }
}

const folder = scratch()
let count = 0
/** Writes a report whose body begins on line 5. @returns its path */
export function report(body: string, params = '{ period: 13 weeks }'): string {
  const file = join(folder, `r${count++}.md`)
  writeFileSync(file, `---\ntitle: T\nparams: ${params}\n---\n${body}`)
  return file
}

export const sql = (name: string, text: string) => `\`\`\`sql ${name}\n${text}\n\`\`\`\n`

/** The rows of a query of the report. */
export const rowsOf = ({ queries }: Pick<ReportResult, 'queries'>, name: string) =>
  objectsOf(queries.find((query) => query.name === name)!)

/** The error of a rejected promise. Fails if it resolves. */
export const mistake = async (act: Promise<unknown>) =>
  act.then(
    () => expect.fail('no mistake was found'),
    (error: unknown) => error as ReportError,
  )

/**
 * The errors that a check of the report must find. The check does not depend on data, so it must find the same errors
 * with an empty warehouse.
 */
export async function checked({ reader, blank }: ReturnType<typeof companyReaders>, body: string) {
  const file = report(body)
  const [found, onEmpty] = [await mistakesOf(file, reader), await mistakesOf(file, blank)]
  const words = (mistakes: readonly ReportError[]) =>
    mistakes.map((one) => [one.file, one.line, one.message, one.next])
  expect(words(onEmpty)).toEqual(words(found))
  expect(found.every((one) => one.file === file)).toBe(true)
  return found.map(({ line, message, next }) => [line, message, next])
}
