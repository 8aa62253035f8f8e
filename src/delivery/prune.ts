import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expired, type Retention } from './expired.ts'
import { keptPages, scopeMark } from './history.ts'
import { isExport, MANIFEST } from './is-export.ts'

/**
 * Removes what is no longer kept of a folder of reports: pages below `history`, with their summaries, and folders of
 * exports. The newest of each stays. Only what is named and made as ours is looked at, and no link is followed.
 * @returns what was removed, seen from `out`
 */
export function prune(out: string, retention: Retention, now: number): string[] {
  return [...prunePages(out, retention, now), ...pruneExports(out, retention, now)]
}

function prunePages(out: string, retention: Retention, now: number): string[] {
  const pages = keptPages(out).map((page) => ({ ...page, at: Date.parse(page.summary.as_of) }))
  // Pages on a part of the incidents are a line of their own.
  const line = ({ summary }: (typeof pages)[number]) => `${scopeMark(summary)}/${summary.report}`
  const gone = [...new Set(pages.map(line))].flatMap((each) =>
    expired(
      pages.filter((page) => line(page) === each),
      retention,
      now,
    ),
  )
  for (const { path } of gone) {
    // The summary first: a page without one is not listed; a summary without its page would never be removed.
    for (const end of ['json', 'html']) rmSync(join(out, `${path}.${end}`), { force: true })
  }
  return gone.map(({ path }) => `${path}.html`)
}

/** `faultline export` marks its folders by a manifest; those kept beside each other are named `export…`. */
function pruneExports(out: string, retention: Retention, now: number): string[] {
  if (!existsSync(out)) return []
  const folders = readdirSync(out, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^export([-_.]|$)/.test(entry.name))
    .filter(({ name }) => isExport(join(out, name)))
    .map(({ name }) => ({ name, at: statSync(join(out, name, MANIFEST)).mtimeMs }))
  const gone = expired(folders, retention, now)
  for (const { name } of gone) rmSync(join(out, name), { recursive: true, force: true })
  return gone.map(({ name }) => name)
}
