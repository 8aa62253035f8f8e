import { type PrintFormat, printPage } from '../../delivery/print-page.ts'
import { replaceFile } from '../../effects.ts'
import { DeliveryError } from '../../errors.ts'
import type { ReportResult } from '../../render/result.ts'
import { toHtml } from '../../render/to-html.ts'

/** Writes a page as `path`.pdf and `path`.png and notes their paths. @returns why that was not possible */
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
