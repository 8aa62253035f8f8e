import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { keptPages, scopeMark } from './history.ts'

/** The file that marks a folder as an export. */
export const MANIFEST = 'manifest.json'
/** Name of the file that describes an export’s columns, as a Data Package (https://datapackage.org/standard). */
export const DATA_PACKAGE = 'datapackage.json'

const DAY = 86_400_000

/** How long pages and exports are kept. Without limits, they are kept forever. */
interface Retention {
  readonly days?: number | undefined
  readonly runs?: number | undefined
}

/** Always keeps the newest page and the newest export. Returns the removed paths, relative to `out`. */
export function prune(out: string, retention: Retention, now: number): string[] {
  return [...prunePages(out, retention, now), ...pruneExports(out, retention, now)]
}

function prunePages(out: string, retention: Retention, now: number): string[] {
  const pages = keptPages(out).map((page) => ({ ...page, at: Date.parse(page.summary.as_of) }))
  // The limits apply separately to each report and to each selection of incidents.
  const series = ({ summary }: (typeof pages)[number]) => `${scopeMark(summary)}/${summary.report}`
  const old = [...new Set(pages.map(series))].flatMap((each) => {
    const same = pages.filter((page) => series(page) === each)
    return expired(same, retention, now)
  })
  // Deletes the summary first, so that the index omits the page if the process stops before all files are deleted.
  for (const { path } of old)
    for (const end of ['json', 'html', 'png']) rmSync(join(out, `${path}.${end}`), { force: true })
  return old.map(({ path }) => `${path}.html`)
}

/** Removes old folders whose names start with `export`, if they contain only an export. */
function pruneExports(out: string, retention: Retention, now: number): string[] {
  if (!existsSync(out)) return []
  const folders = readdirSync(out, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^export([-_.]|$)/.test(entry.name))
    .filter(({ name }) => isExport(join(out, name)))
    .map(({ name }) => ({ name, at: statSync(join(out, name, MANIFEST)).mtimeMs }))
  const old = expired(folders, retention, now)
  for (const { name } of old) rmSync(join(out, name), { recursive: true, force: true })
  return old.map(({ name }) => name)
}

/** Returns outputs older than `days` days or not among the newest `runs`, but never the newest. `at` is Unix ms. */
export function expired<Output extends { readonly at: number }>(
  outputs: readonly Output[],
  { days, runs }: Retention,
  now: number,
): Output[] {
  const isOld = (at: number, index: number) =>
    now - at > (days ?? Infinity) * DAY || index >= (runs ?? Infinity)
  return outputs.toSorted((a, b) => b.at - a.at).filter(({ at }, index) => index > 0 && isOld(at, index))
}

interface Manifest {
  readonly faultline?: unknown
  readonly exports: readonly { readonly files: readonly string[] }[]
}

/** Whether a folder contains only files that its manifest lists. Files that people added must not be removed. */
export function isExport(folder: string): boolean {
  try {
    const manifest: Manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8'))
    const files = manifest.exports.flatMap((one) => one.files.map((file) => file.split('/', 1)[0]!))
    const isListed = (name: string) => [MANIFEST, DATA_PACKAGE, ...files].includes(name)
    return typeof manifest.faultline === 'string' && readdirSync(folder).every(isListed)
  } catch {
    return false
  }
}
