import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Effects } from '../../effects.ts'
import { PRIVATE } from '../../warehouse/file/files.ts'
import type { Published } from '../../warehouse/published.ts'

/** Progress of a running sync. `faultline status` shows it, because it cannot open the file that the sync writes. */
interface UnderWay {
  readonly pid: number
  readonly at: string
  readonly line: string
}

const EVERY_MS = 2_000

const fileOf = ({ files }: Published) => join(files.folder, 'under-way.json')

/** Stores the progress of a sync every few seconds, and removes it when the sync ends. Ignores write errors. */
export function trackProgress(published: Published, { now }: Pick<Effects, 'now'>) {
  const file = fileOf(published)
  let notedAt = Number.NEGATIVE_INFINITY
  return {
    note(line: string): void {
      if (now() - notedAt < EVERY_MS) return
      notedAt = now()
      const under: UnderWay = { pid: process.pid, at: new Date(notedAt).toISOString(), line }
      try {
        writeFileSync(file, JSON.stringify(under), { mode: PRIVATE })
      } catch {}
    },
    end() {
      // If this process wrote nothing, the file can belong to another process.
      if (notedAt > Number.NEGATIVE_INFINITY) rmSync(file, { force: true })
    },
  }
}

/** Returns the stored progress. Undefined if no sync stored any. */
export function readProgress(published: Published): UnderWay | undefined {
  try {
    const { pid, at, line } = JSON.parse(readFileSync(fileOf(published), 'utf8'))
    return { pid: Number(pid), at: String(at), line: String(line) }
  } catch {
    return undefined
  }
}
