import { type PrintFormat, printPage } from '../../delivery/print-page.ts'
import { replaceFile } from '../../effects.ts'
import { DeliveryError } from '../../errors.ts'
import type { ReportResult } from '../../render/result.ts'
import { toHtml } from '../../render/to-html.ts'

/** Prints a page to `path`.pdf and `path`.png, and adds their paths to `written`. @returns the error, or null */
export async function print(
  result: ReportResult,
  path: string,
  formats: readonly PrintFormat[],
  written: string[],
): Promise<DeliveryError | null> {
  if (formats.length === 0) return null
  try {
    const made = await printPage(toHtml(result), formats)
    for (const format of formats) {
      written.push(replaceFile(`${path}.${format}`, made[format]!))
    }
    return null
  } catch (error) {
    if (error instanceof DeliveryError) return error
    throw error
  }
}
