import { join } from 'node:path'
import { replaceFile } from '../effects.ts'
import { ReportError } from '../errors.ts'
import type { ReportResult } from '../render/result.ts'
import { ALONE, type PageOptions } from '../render/table-html.ts'
import { toCsv } from '../render/to-csv.ts'
import { toHtml } from '../render/to-html.ts'
import { toJson } from '../render/to-json.ts'
import { ALL_INCIDENTS, FINDINGS, VERDICTS } from './parse/parse.ts'

/** Formats that become files; the terminal's is written by the caller. */
export const FILE_FORMATS = ['html', 'csv', 'json'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

/**
 * Writes a report below `folder`: NAME.html, NAME.json, and in NAME/ a QUERY.csv for each query, verdicts.csv, queries.sql,
 * all_incidents.csv and findings.csv where it has them. Everything is drawn before the
 * first file is touched, and each file appears whole under its name or not at all, so the last good one stays when
 * something fails. Returns the paths. Throws `ReportError` when the folder cannot be written.
 */
export function writeReport(
  result: ReportResult,
  folder: string,
  formats: readonly FileFormat[],
  { isCompact, teamPage }: Pick<PageOptions, 'isCompact' | 'teamPage'> = ALONE,
): string[] {
  // Links lead only to what is written too.
  const csv = formats.includes('csv') ? encodeURIComponent(result.name) : null
  const files = formats.flatMap((format) => contents[format](result, { csv, isCompact, teamPage }))
  try {
    return files.map(({ path, text }) => replaceFile(join(folder, path), text))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ReportError(
      `The report cannot be written to ${folder}: ${reason}`,
      { file: result.source, line: 1 },
      { cause, next: 'Check the folder and the space left on the disk.' },
    )
  }
}

interface File {
  path: string
  text: string
}

const contents: Record<FileFormat, (result: ReportResult, options: PageOptions) => File[]> = {
  html: (result, options) => [{ path: `${result.name}.html`, text: toHtml(result, options) }],
  json: (result) => [{ path: `${result.name}.json`, text: toJson(result) }],
  csv: (result) => [
    ...result.queries.map((query) => ({ path: join(result.name, `${query.name}.csv`), text: toCsv(query) })),
    { path: join(result.name, `${VERDICTS}.csv`), text: toCsv(result.verdicts) },
    ...(result.findings
      ? [{ path: join(result.name, `${FINDINGS}.csv`), text: toCsv(result.findings) }]
      : []),
    {
      path: join(result.name, 'queries.sql'),
      text: result.queries.map(({ name, sql }) => `-- ${name}\n${sql}\n`).join('\n'),
    },
    ...(result.behind
      ? [{ path: join(result.name, `${ALL_INCIDENTS}.csv`), text: toCsv(result.behind.all) }]
      : []),
  ],
}
