import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { keptPages, scopeMark } from './history.ts'

/** Marks a folder as an export. */
export const MANIFEST = 'manifest.json'
/** Describes the columns of an export, as a Data Package (https://datapackage.org/standard). */
export const DATA_PACKAGE = 'datapackage.json'

const DAY = 86_400_000

/** Limits of retention. If no limit is set, everything is kept. */
interface Retention {
  readonly days?: number | undefined
  readonly runs?: number | undefined
}

/** Removes old pages in `history` and old exports, but never the newest of each. Returns their paths relative to `out`. */
export function prune(out: string, retention: Retention, now: number): string[] {
  return [...prunePages(out, retention, now), ...pruneExports(out, retention, now)]
}

function prunePages(out: string, retention: Retention, now: number): string[] {
  const pages = keptPages(out).map((page) => ({ ...page, at: Date.parse(page.summary.as_of) }))
  // The limits apply to each report and scope separately.
  const series = ({ summary }: (typeof pages)[number]) => `${scopeMark(summary)}/${summary.report}`
  const old = [...new Set(pages.map(series))].flatMap((each) =>
    expired(
      pages.filter((page) => series(page) === each),
      retention,
      now,
    ),
  )
  for (const { path } of old) {
    // Deletes the summary first. After a crash, a page without a summary is merely not listed, but a summary without a
    // page would stay forever.
    for (const end of ['json', 'html', 'png']) rmSync(join(out, `${path}.${end}`), { force: true })
  }
  return old.map(({ path }) => `${path}.html`)
}

/** Exports are folders named `export…` with a manifest. */
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

/** Returns the outputs older than `days` (`at` is Unix ms) or beyond the newest `runs`, but never the newest one. */
export function expired<Output extends { readonly at: number }>(
  outputs: readonly Output[],
  { days, runs }: Retention,
  now: number,
): Output[] {
  return [...outputs]
    .sort((a, b) => b.at - a.at)
    .filter(
      ({ at }, index) =>
        index > 0 && ((days !== undefined && now - at > days * DAY) || (runs !== undefined && index >= runs)),
    )
}

/** Whether a folder contains only an export. If people added files, it is not safe to remove. */
export function isExport(folder: string): boolean {
  const own = ownEntries(folder)
  return own !== undefined && readdirSync(folder).every((name) => own.has(name))
}

/** Returns the entries listed in the manifest. Undefined if Faultline did not write the manifest. */
function ownEntries(folder: string): Set<string> | undefined {
  try {
    const { faultline, exports } = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as {
      faultline?: unknown
      exports: { files: string[] }[]
    }
    if (typeof faultline !== 'string') return undefined
    const files = exports.flatMap((one) => one.files)
    return new Set([MANIFEST, DATA_PACKAGE, ...files.map((file) => file.split('/', 1)[0]!)])
  } catch {
    return undefined
  }
}
