import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file by which a folder is known as an export. */
export const MANIFEST = 'manifest.json'

/**
 * Whether a folder is an export of ours and holds nothing else, so that it may be removed whole. Other programs have
 * manifests of that name too, and people put their own files beside ours.
 */
export function isExport(folder: string): boolean {
  const own = ownEntries(folder)
  return own !== undefined && readdirSync(folder).every((name) => own.has(name))
}

/** What lies in the folder itself by its manifest; undefined where there is none of ours. */
function ownEntries(folder: string): Set<string> | undefined {
  try {
    const { faultline, exports } = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as {
      faultline?: unknown
      exports: { files: string[] }[]
    }
    if (typeof faultline !== 'string') return undefined
    const files = exports.flatMap((one) => one.files)
    return new Set([MANIFEST, ...files.map((file) => file.split('/', 1)[0]!)])
  } catch {
    return undefined
  }
}
