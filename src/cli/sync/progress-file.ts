import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Effects } from '../../effects.ts'
import { PRIVATE } from '../../warehouse/file/files.ts'
import type { Published } from '../../warehouse/published.ts'

const EVERY_MS = 2_000

const fileOf = ({ files }: Published) => join(files.folder, 'under-way.json')

/** Keeps the progress of a sync in a file for `faultline status`, which cannot open the warehouse during a sync. */
export function trackProgress(published: Published, { now }: Pick<Effects, 'now'>) {
  const file = fileOf(published)
  let notedAt = Number.NEGATIVE_INFINITY
  return {
    note(line: string): void {
      if (now() - notedAt < EVERY_MS) return
      notedAt = now()
      const under = { pid: process.pid, at: new Date(notedAt).toISOString(), line }
      try {
        writeFileSync(file, JSON.stringify(under), { mode: PRIVATE })
      } catch {
        // Ignores errors, because a sync does not depend on this file.
      }
    },
    end() {
      // If this process wrote nothing, the file might belong to another process.
      if (notedAt > Number.NEGATIVE_INFINITY) rmSync(file, { force: true })
    },
  }
}

export function readProgress(published: Published) {
  try {
    const { pid, at, line } = JSON.parse(readFileSync(fileOf(published), 'utf8'))
    return { pid: Number(pid), at: String(at), line: String(line) }
  } catch {
    return undefined
  }
}
