import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configSchema } from '../config/config-file.ts'
import { settingsOf } from '../config/reporting.ts'
import { runReport } from '../page/run-report.ts'
import { allReports } from '../report/report-catalog.ts'
import type { Lesson } from '../sandbox/world/scenario.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import { defaultSettings, type Settings } from '../settings/settings.ts'
import { openReader } from '../warehouse/read/reader.ts'

const REVIEW = 'reliability-review'

/**
 * Returns the settings of a scenario. If it has a configuration, writes that next to the warehouse for other commands.
 */
export function configurationOf(
  world: string,
  { reporting }: Lesson,
  out: string,
): { settings: Settings; file: string | undefined } {
  if (reporting === undefined) return { settings: defaultSettings, file: undefined }
  const file = join(out, `${world}.json`)
  writeFileSync(file, `${JSON.stringify({ warehouse: './demo.duckdb', reporting }, null, 2)}\n`)
  return { settings: settingsOf(configSchema.parse({ reporting }).reporting), file }
}

/**
 * Returns what a scenario shows, and the first finding of its review. If the scenario has a configuration, adds the
 * first finding without that configuration.
 */
export async function lessonText(
  { teaches }: Lesson,
  { warehouse, settings, file }: { warehouse: string; settings: Settings; file: string | undefined },
): Promise<string> {
  const said = await verdictOf(warehouse, settings)
  const lines = ['', teaches, `First finding of the review: ${said}`]
  if (file !== undefined) lines.push(`Without ${file}: ${await verdictOf(warehouse, defaultSettings)}`)
  return lines.join('\n')
}

async function verdictOf(warehouse: string, settings: Settings): Promise<string> {
  const { file } = allReports(undefined).find(({ name }) => name === REVIEW)!
  const reader = await openReader(await resolveStorage(warehouse), { settings })
  try {
    return (await runReport(file, reader)).verdict
  } finally {
    reader.close()
  }
}
