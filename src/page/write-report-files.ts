import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile, replaceMany } from '../effects.ts'
import { ReportError } from '../errors.ts'
import { LISTS, listAddress, listPage } from '../render/list-page.ts'
import type { IncidentList, ReportResult } from '../render/result.ts'
import { ALONE, type PageOptions } from '../render/table-html.ts'
import { csvFile } from '../render/to-csv.ts'
import { toHtml } from '../render/to-html.ts'
import { toJson } from '../render/to-json.ts'
import { FINDINGS, VERDICTS } from '../report/parse/parse.ts'
import { listFiles } from '../report/served-files.ts'

export const FILE_FORMATS = ['html', 'csv', 'json'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

/**
 * Renders everything before it replaces files, so that the last good version survives a failure. Returns the paths of
 * the files, except list pages. @throws ReportError if the folder cannot be written
 */
export function writeReport(
  result: ReportResult,
  folder: string,
  formats: readonly FileFormat[],
  { name = result.name, out = folder, ...options }: Where = ALONE,
): string[] {
  // Links only to files that are also written.
  const own = encodeURIComponent(name)
  const csv = formats.includes('csv') ? own : null
  const hasLists = formats.includes('html') && (result.lists?.lists.length ?? 0) > 0
  const lists = hasLists ? `${own}/${LISTS}` : null
  // The page is written last, so that all its links work from the start.
  const files = [...formats]
    .sort((a, b) => Number(a === 'html') - Number(b === 'html'))
    .flatMap((format) => contents[format](result, name, { ...options, csv, lists }))
  const led = lists === null ? [] : listsOfPage(result, lists, files.at(-1)!.text)
  const folderOfLists = join(folder, name, LISTS)
  try {
    if (led.length > 0) replaceMany(folderOfLists, listPages(led, result, { name, csv: csv !== null }))
    const written = files.map(({ path, text }) => replaceFile(join(folder, path), text))
    listFiles(out, [...led.map(({ id }) => join(folderOfLists, `${id}.html`)), ...written])
    // Old lists are removed last, because readers of the previous page might still use them.
    if (formats.includes('html')) removeOldLists(folderOfLists, led)
    return written
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ReportError(
      `The report cannot be written to ${folder}: ${reason}`,
      { file: result.source, line: 1 },
      { cause, next: 'Check the folder and the space left on the disk.' },
    )
  }
}

/** Returns the lists to which the page links. Hidden blocks have no links. */
function listsOfPage({ lists }: ReportResult, folder: string, page: string): IncidentList[] {
  const addresses = new Set([...page.matchAll(/<a\b[^>]*\bhref="([^"]+)"/g)].map(([, href]) => href))
  return lists!.lists.filter(({ id }) => addresses.has(listAddress(folder, id)))
}

function* listPages(
  led: readonly IncidentList[],
  result: ReportResult,
  page: { name: string; csv: boolean },
): Generator<[string, string]> {
  for (const list of led) yield [`${list.id}.html`, listPage(list, result, page)]
}

function removeOldLists(folder: string, led: readonly IncidentList[]): void {
  if (led.length === 0) rmSync(folder, { recursive: true, force: true })
  if (!existsSync(folder)) return
  const own = new Set(led.map(({ id }) => `${id}.html`))
  for (const name of readdirSync(folder)) if (!own.has(name)) rmSync(join(folder, name), { force: true })
}

interface Where extends Pick<PageOptions, 'isCompact' | 'teamPage' | 'site'> {
  readonly name?: string
  /** The reports folder, if `folder` is one of its subfolders. */
  readonly out?: string
}

interface File {
  path: string
  text: string
}

const contents: Record<FileFormat, (result: ReportResult, name: string, options: PageOptions) => File[]> = {
  html: (result, name, options) => [{ path: `${name}.html`, text: toHtml(result, options) }],
  json: (result, name) => [{ path: `${name}.json`, text: toJson(result) }],
  csv: (result, own) => [
    ...result.queries.map((query) => ({ path: join(own, `${query.name}.csv`), text: csvFile(query) })),
    { path: join(own, `${VERDICTS}.csv`), text: csvFile(result.verdicts) },
    ...(result.findings ? [{ path: join(own, `${FINDINGS}.csv`), text: csvFile(result.findings) }] : []),
    {
      path: join(own, 'queries.sql'),
      text: result.queries.map(({ name, sql }) => `-- ${name}\n${sql}\n`).join('\n'),
    },
    ...(result.lists?.all ?? []).map((rows) => ({
      path: join(own, `${rows.name}.csv`),
      text: csvFile(rows),
    })),
  ],
}
